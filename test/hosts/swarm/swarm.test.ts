import { hasPackages, onHost } from '../on-host.ts';

if (await hasPackages('langchain'))
  await onHost('swarm', { suite: () => import('./suite.ts'), page: 'docs/swarms.md' });
