import { expect, it } from 'vitest';
import { type AgentEvent, createGuard, type Decision, type Preset, presets } from '../../src/index.ts';
import { presetOf } from '../../src/presets/registry.ts';
import { withSwarm } from '../../src/presets/swarm-rules.ts';
import { allPages, type Block, blocksOf, pageOf } from './pages.ts';

/**
 * Every `jsonl` block of the docs is a trace. The line above names the preset that judges it:
 * `Preset: NAME`, with ` in a swarm` for the rules of swarms and a budget of 1000 calls, `, only DETECTOR` to leave the others out, `, with OPTION N` to set an option of that detector
 * and `, at N` to lower a threshold.
 * The line below tells every answer other than allow: `Answers: block at call 3, halt at calls 10 to 12`.
 */
const examples = allPages().flatMap((page) => blocksOf(page, 'jsonl'));

it.each(examples)('$page:$line answers as the page says', (example) => {
  expect(answersTo(example).map(([decision, call]) => `${decision} at call ${call}`)).toEqual(
    promisedBy(example),
  );
});

it('shows a loop and a healthy run on every page of a detector', () => {
  for (const kind of detectorPages()) {
    const answers = blocksOf(pageOf(`docs/detectors/${kind}.md`), 'jsonl').map(promisedBy);
    expect(
      answers.some((promised) => promised.length > 0),
      `a loop for ${kind}`,
    ).toBe(true);
    expect(
      answers.some((promised) => promised.length === 0),
      `a healthy run for ${kind}`,
    ).toBe(true);
  }
});

it('finds, on the page of a detector, only what that detector sees', () => {
  for (const kind of detectorPages()) {
    for (const example of blocksOf(pageOf(`docs/detectors/${kind}.md`), 'jsonl')) {
      const { detectors } = presetFor(example);
      const kinds = answersTo(example).map(([, , detector]) => detectors[detector]?.kind);
      expect(
        kinds.filter((seen) => seen !== kind),
        `${example.page}:${example.line}`,
      ).toEqual([]);
    }
  }
});

function detectorPages(): readonly string[] {
  return allPages().flatMap(({ name }) => /^docs\/detectors\/([a-z-]+)\.md$/.exec(name)?.[1] ?? []);
}

function answersTo(example: Block): readonly (readonly [action: string, call: number, detector: string])[] {
  const answers: [string, number, string][] = [];
  const errors: unknown[] = [];
  const guard = createGuard({ preset: presetFor(example), onError: (error) => errors.push(error) });
  const hear = (decision: Decision) => {
    if (decision.action === 'allow') return;
    answers.push([decision.action, decision.call, decision.finding.detector]);
    if (decision.action === 'nudge') guard.delivered(decision.agent);
  };
  for (const line of example.text.split('\n')) {
    hear(guard.accept(JSON.parse(line) as AgentEvent));
  }
  // The end of a trace ends its last round, as in `deloop replay`.
  hear(guard.accept({ type: 'round-done' }));
  expect(errors, `${example.page}:${example.line}`).toEqual([]);
  return answers;
}

function presetFor({ page, line, above }: Block): Preset {
  const wanted =
    /^Preset: ([a-z-]+)( in a swarm)?(?:, only ([a-z-]+)(?:, with ([a-zA-Z]+) (\d+))?)?(?:, at (\d+))?$/.exec(
      above,
    );
  const name = wanted?.[1] ?? '';
  if (wanted === null || !Object.hasOwn(presets, name))
    throw new Error(`${page}:${line}: no line "Preset: NAME" above the trace, but "${above}"`);
  const [, , swarm, only, option, value, at] = wanted;
  const plain = presetOf(name as keyof typeof presets);
  const preset = swarm === undefined ? plain : withSwarm(plain, { calls: 1000 });
  const own = option === undefined ? {} : { [option]: Number(value) };
  const detectors = Object.entries(preset.detectors)
    .filter(([key]) => only === undefined || key === only)
    .map(([key, use]) => [key, { ...use, ...own }]);
  const ladder = preset.ladder.filter(({ on }) => only === undefined || on === only);
  return {
    ...preset,
    detectors: Object.fromEntries(detectors),
    ladder: at === undefined ? ladder : ladder.map((rung) => ({ ...rung, at: Number(at) })),
  };
}

function promisedBy({ page, line, below }: Block): readonly string[] {
  const promised = /^Answers: (.+)$/.exec(below)?.[1];
  if (promised === undefined)
    throw new Error(`${page}:${line}: no line "Answers: ..." below the trace, but "${below}"`);
  if (promised === 'nothing') return [];
  return promised.split(', ').flatMap((part) => {
    const one = /^([a-z]+) at calls? (\d+)(?: to (\d+))?$/.exec(part);
    if (one === null) throw new Error(`${page}:${line}: "${part}" is no answer`);
    const [, action, first, last = first] = one;
    const calls = Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
    return calls.map((call) => `${action} at call ${call}`);
  });
}
