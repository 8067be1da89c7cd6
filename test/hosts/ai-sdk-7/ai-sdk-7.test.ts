import { onHost } from '../on-host.ts';

await onHost('ai-sdk-7', { suite: () => import('./suite.ts'), shown: 'ai-sdk' });
