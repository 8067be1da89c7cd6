import { expect, it } from 'vitest';
import { isGitOverview } from './git-overview.ts';

it.each([
  'git status',
  'GIT Status --short',
  'git ls-files --others',
  'git diff',
  'git diff --stat HEAD',
  'git diff HEAD~3 @^2',
  'git diff 0a1b2c3 --',
  'git diff main..topic',
  'git diff main...topic',
  'git -C . --no-pager status',
  '  git status &&git diff\n\ngit ls-files ; ',
])('%j only looks the repository over', (command) => {
  expect(isGitOverview(command)).toBe(true);
});

it.each([
  '',
  ' ; ',
  'git',
  'git commit -m status',
  'git status && npm test',
  'git diff src/main.ts',
  'git diff -- src/main.ts',
  'git diff HEADS',
  'git diff 0a1b2c',
  'git diff ..topic',
  'git diff main..',
  'git -C status',
  'gitk status',
  'echo git status',
])('%j does more, or something else', (command) => {
  expect(isGitOverview(command)).toBe(false);
});
