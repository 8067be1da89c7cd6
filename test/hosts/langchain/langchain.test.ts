import { onHost } from '../on-host.ts';

await onHost('langchain', { suite: () => import('./suite.ts'), shown: 'langchain' });
