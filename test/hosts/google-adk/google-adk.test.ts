import { onHost } from '../on-host.ts';

await onHost('google-adk', { suite: () => import('./suite.ts'), shown: 'google-adk' });
