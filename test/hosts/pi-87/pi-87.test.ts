import { onHost } from '../on-host.ts';

await onHost('pi-87', { suite: () => import('./suite.ts'), shown: 'pi' });
