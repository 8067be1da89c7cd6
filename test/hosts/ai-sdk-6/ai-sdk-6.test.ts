import { onHost } from '../on-host.ts';

await onHost('ai-sdk-6', { suite: () => import('./suite.ts') });
