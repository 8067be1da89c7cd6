import { onHost } from '../on-host.ts';

await onHost('openai-agents', { suite: () => import('./suite.ts'), shown: 'openai-agents' });
