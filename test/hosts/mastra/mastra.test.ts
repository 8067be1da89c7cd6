import { onHost } from '../on-host.ts';

await onHost('mastra', { suite: () => import('./suite.ts'), shown: 'mastra' });
