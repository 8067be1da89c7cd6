import { onHost } from '../on-host.ts';

await onHost('otel', { suite: () => import('./suite.ts'), shown: 'otel' });
