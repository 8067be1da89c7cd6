import { onHost } from '../on-host.ts';

await onHost('strands', { suite: () => import('./suite.ts'), shown: 'strands' });
