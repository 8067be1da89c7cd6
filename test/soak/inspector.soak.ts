import { describe, it } from 'vitest';
import { hasHosts } from '../hosts/mcp/hosts.ts';
import { expectSameInInspector } from '../hosts/mcp/inspector.ts';

/** Needs `dist/`. What the inspector lists, and one call of it, are in test/hosts/mcp/tour.test.ts. */
describe.runIf(hasHosts)('what the inspector prints is the same with and without the guard', () => {
  it.each([
    ['tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi'],
    ['prompts/get', '--prompt-name', 'args-prompt', '--prompt-args', 'city=Bern'],
    ['resources/read', '--uri', 'demo://resource/static/document/features.md'],
  ])('%s %s %s', (...words) => expectSameInInspector(words));
});
