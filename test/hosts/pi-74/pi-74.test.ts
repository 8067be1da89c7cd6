import { onHost } from '../on-host.ts';

await onHost('pi-74', { suite: () => import('./suite.ts') });
