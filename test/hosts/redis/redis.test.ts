import { onHost } from '../on-host.ts';

await onHost('redis', { suite: () => import('./suite.ts') });
