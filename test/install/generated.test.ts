import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, it } from 'vitest';
import { installStatus } from '../../src/cli/install/install-status.ts';
import { fileOf, install, newContext, of, uninstall } from './contexts.ts';
import { layouts, members, written } from './generated-settings.ts';

/** Those that read comments, and commas behind the last item. */
const LENIENT = ['gemini-cli', 'qwen-code'];
const STRICT = ['claude-code', 'codex', 'cursor'];

function saidIn(text: string): { readonly [name: string]: unknown } {
  return parse(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }) as { [name: string]: unknown };
}

it('puts whatever people have in their settings back to the byte', { timeout: 60_000 }, () => {
  const context = newContext();
  fc.assert(
    fc.property(members, layouts, fc.nat(), (all, layout, choice) => {
      const agents = layout.lenient ? LENIENT : [...STRICT, ...LENIENT];
      const agent = agents[choice % agents.length] as string;
      const path = fileOf(agent, context);
      const text = written(all, layout);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      expect(install(agent, context)).toHaveLength(1);
      const installed = readFileSync(path, 'utf8');
      expect(installStatus(of(agent), context)).toMatchObject({ installed: true });
      const { hooks, version, ...rest } = saidIn(installed);
      const { hooks: theirs, version: _, ...others } = saidIn(text);
      expect(rest).toEqual(others);
      // What others have there comes first, in its order.
      for (const [event, list] of Object.entries((theirs ?? {}) as { [event: string]: unknown[] }))
        expect((hooks as { [event: string]: unknown[] })[event]?.slice(0, list.length)).toEqual(list);
      expect(install(agent, context)).toEqual([]);
      expect(uninstall(agent, context)).toHaveLength(1);
      expect(readFileSync(path, 'utf8')).toBe(text);
      // Without a record of how it was, nothing that it said is lost.
      install(agent, context);
      uninstall(agent, { ...context, state: `${context.state}-other` });
      const { hooks: left, version: added, ...same } = saidIn(readFileSync(path, 'utf8'));
      expect(same).toEqual(others);
      for (const [event, list] of Object.entries((theirs ?? {}) as { [event: string]: unknown[] }))
        expect((left as { [event: string]: unknown[] } | undefined)?.[event] ?? []).toEqual(list);
      expect(readdirSync(dirname(path))).toHaveLength(1);
      rmSync(path);
    }),
    { numRuns: 60, seed: 7 },
  );
});
