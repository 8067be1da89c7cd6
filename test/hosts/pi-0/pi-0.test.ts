import { onHost } from '../on-host.ts';

await onHost('pi-0', { suite: () => import('./suite.ts') });
