import { onHost } from '../on-host.ts';

await onHost('pi-1', { suite: () => import('./suite.ts'), shown: 'pi' });
