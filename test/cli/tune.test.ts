import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createSimulation } from '../../src/cli/replay/simulation.ts';
import { listeningPreset } from '../../src/cli/tune/listening-preset.ts';
import { applyConfig } from '../../src/config/apply-config.ts';
import type { Config } from '../../src/config/config.ts';
import { checkedPlan } from '../../src/core/check-preset.ts';
import { detectorKinds, presets } from '../../src/presets/registry.ts';
import { readText } from '../transcripts/read.ts';
import { deloop, newFolder, toLines } from './run-cli.ts';
import { done } from './traces.ts';

type Tuning = {
  readonly preset: string;
  readonly sessions: number;
  readonly calls: number;
  readonly detectors: readonly {
    readonly name: string;
    readonly kind: string;
    readonly rungs: readonly { readonly at: number; readonly action: string }[];
    readonly reaches: readonly {
      readonly count: number;
      readonly sessions: number;
      readonly loops: number;
    }[];
    readonly most: readonly { readonly [field: string]: unknown }[];
  }[];
};

const SESSIONS = fileURLToPath(new URL('../../examples/sessions/', import.meta.url));

/** One call, so often with the same result, and others that differ. */
function repeated(times: number): string {
  const calls = Array.from({ length: times }, (_, index) =>
    done(`c${index}`, 'read', { path: 'a' }, 'the same text'),
  );
  const others = ['b', 'c'].map((path) => done(path, 'read', { path }, `what is in ${path}`));
  return toLines([...calls, ...others].flat());
}

async function tuned(cwd: string, ...flags: readonly string[]): Promise<Tuning> {
  const { status, out, err } = await deloop(['tune', '.', '--json', ...flags], { cwd });
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out) as Tuning;
}

const reachesOf = ({ detectors }: Tuning, detector: string) => {
  const found = detectors.find(({ name }) => name === detector);
  return Object.fromEntries((found?.reaches ?? []).map(({ count, sessions }) => [count, sessions]));
};

describe('a preset that also listens below its rungs', () => {
  const events = ['codex/stuck.jsonl', 'gemini-cli/healthy.jsonl', 'pi/stuck.jsonl'].map(
    (file) => readText(readFileSync(join(SESSIONS, file))).events,
  );

  it.each(Object.values(presets))('decides as $name does', (preset) => {
    const listening = listeningPreset(preset);
    expect(() => checkedPlan(listening, { described: detectorKinds })).not.toThrow();
    for (const session of events) {
      const [own, other] = [preset, listening].map((each) => {
        const simulation = createSimulation({ preset: each, mode: 'shadow' });
        const decisions = session.flatMap((event, index) => simulation.feed(event, index + 1));
        return [...decisions, ...simulation.end()];
      });
      expect(other).toEqual(own);
    }
  });

  it('hears of every detector from the second time on', () => {
    for (const preset of Object.values(presets)) {
      const { ladder, detectors } = listeningPreset(preset);
      for (const name of Object.keys(detectors))
        expect(Math.min(...ladder.filter(({ on }) => on === name).map(({ at }) => at))).toBeLessThanOrEqual(
          2,
        );
    }
  });
});

describe('deloop tune', { timeout: 30_000 }, () => {
  const cwd = newFolder({
    'one.jsonl': repeated(1),
    'two.jsonl': repeated(2),
    'four.jsonl': repeated(4),
    'nine.jsonl': repeated(9),
    'notes.json': '{}',
  });

  it('counts the sessions in which a detector comes so far, below its rungs too', async () => {
    const tuning = await tuned(cwd);
    expect(tuning).toMatchObject({ preset: 'recommended', sessions: 4, calls: 24 });
    expect(tuning.detectors.map(({ name }) => name)).toEqual(Object.keys(presets.recommended.detectors));
    expect(reachesOf(tuning, 'no-progress')).toMatchObject({ 2: 3, 3: 2, 4: 2, 5: 1, 8: 1, 10: 0 });
    expect(reachesOf(tuning, 'bad-call')).toMatchObject({ 2: 0, 3: 0 });
  });

  it('tells where the guard acts today, and where a detector counts farthest', async () => {
    const { detectors } = await tuned(cwd, '--detector', 'no-progress');
    expect(detectors).toHaveLength(1);
    const [{ kind, rungs, most } = { kind: '', rungs: [], most: [] }] = detectors;
    expect(kind).toBe('no-progress');
    const own = presets.recommended.ladder.filter(({ on }) => on === 'no-progress');
    expect(rungs.map(({ at, action }) => [at, action])).toEqual(own.map(({ at, action }) => [at, action]));
    expect(most.map(({ file, count }) => [file, count])).toEqual([
      ['nine.jsonl', 9],
      ['four.jsonl', 4],
      ['two.jsonl', 2],
    ]);
    expect(most[0]).toMatchObject({
      agent: 'deloop',
      call: 9,
      tool: 'read',
      label: expect.stringMatching(/a$/),
    });
  });

  it('counts loops, not only sessions', async () => {
    const two = newFolder({
      'a.jsonl': toLines(
        ['a', 'b'].flatMap((path) =>
          [1, 2, 3].flatMap((n) => done(`${path}${n}`, 'read', { path }, `the text of ${path}`)),
        ),
      ),
    });
    const { detectors } = await tuned(two, '--detector', 'no-progress');
    expect(detectors[0]?.reaches.find(({ count }) => count === 3)).toEqual({
      count: 3,
      sessions: 1,
      loops: 2,
    });
  });

  it('takes other guards, and configs', async () => {
    const koda = await tuned(cwd, '--preset', 'koda');
    expect(koda.preset).toBe('koda');
    expect(koda.detectors.map(({ name }) => name)).toEqual(Object.keys(presets.koda.detectors));
    const config = newFolder({
      'a.jsonl': repeated(3),
      'deloop.config.json': '{"detectors":{"waiting":"off"}}',
    });
    expect((await tuned(config)).detectors.some(({ name }) => name === 'waiting')).toBe(false);
  });

  it('shows a table, and a change that works as it says', async () => {
    const { status, out, err } = await deloop(['tune', '.'], { cwd });
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/^no-progress +3 +2n +2 +1abn /m);
    expect(out).toContain('4 sessions, 24 calls, under recommended');
    for (const line of out.split('\n')) expect(line.length).toBeLessThan(121);
    const [, later, now, snippet] =
      /speak up from \d+ on, in (\d+) sessions? instead of (\d+), put into deloop.config.json:\n {2}(.+)\n/.exec(
        out,
      ) ?? [];
    expect([later, now]).toEqual(['1', '2']);
    const config = JSON.parse(snippet ?? '') as Config;
    expect(
      applyConfig(config, 'f').preset.ladder.find(
        ({ on, action }) => on === 'no-progress' && action === 'nudge',
      ),
    ).toMatchObject({ at: 5 });
  });

  it('shows one detector with its rungs, and the sessions', async () => {
    const { out } = await deloop(['tune', '.', '--detector', 'no-progress'], { cwd });
    expect(out).toMatch(
      /^ +5 +1 +1 {2}ask \(when: before, busy: false, passed: false, after 3 delivered\), block/m,
    );
    expect(out).toMatch(/^ +9 {2}call 9 +deloop {2}nine.jsonl {2}read (?:path=)?a$/m);
  });

  it('reads what agents have left on the machine, and of one agent only', async () => {
    const home = newFolder();
    const { mkdirSync, copyFileSync } = await import('node:fs');
    mkdirSync(join(home, '.pi/agent/sessions'), { recursive: true });
    mkdirSync(join(home, '.codex/sessions'), { recursive: true });
    copyFileSync(join(SESSIONS, 'pi/stuck.jsonl'), join(home, '.pi/agent/sessions/a.jsonl'));
    copyFileSync(join(SESSIONS, 'codex/stuck.jsonl'), join(home, '.codex/sessions/b.jsonl'));
    const sessions = async (...flags: readonly string[]) =>
      (JSON.parse((await deloop(['tune', '--json', ...flags], { env: { HOME: home } })).out) as Tuning)
        .sessions;
    expect(await sessions()).toBe(2);
    expect(await sessions('--agent', 'pi')).toBe(1);
    expect(await sessions('--since', '2999-01-01')).toBe(0);
  });

  it('says that there is no session', async () => {
    const { status, out, err } = await deloop(['tune']);
    expect([status, out]).toEqual([0, '']);
    expect(err).toContain('no session was found');
  });

  it('reports what cannot be read, and counts the rest', async () => {
    const { status, out, err } = await deloop(['tune', 'none', 'notes.json', 'nine.jsonl', '--json'], {
      cwd,
    });
    expect(status).toBe(3);
    expect(err).toBe(
      'deloop: none: there is no such file\ndeloop: notes.json: not a transcript that deloop knows\n',
    );
    expect(JSON.parse(out)).toMatchObject({ sessions: 1 });
  });

  it.each([
    [['--detector', 'nothing'], '--detector is "nothing"; it must be one of no-progress, '],
    [['--preset', 'kodda'], '--preset is "kodda"; it must be one of koda, '],
    [['--since', 'soon'], '--since is "soon"; it must be a date'],
    [['--agent', 'bond'], '--agent is "bond"; it must be one of deloop, '],
  ])('answers wrong usage %j with one line and exit status 2', async (flags, message) => {
    const { status, out, err } = await deloop(['tune', '.', ...flags], { cwd });
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
    expect(err).toContain(message);
  });
});
