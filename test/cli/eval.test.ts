import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { presets } from '../../src/presets/registry.ts';
import { deloop, newFolder, toLines } from './run-cli.ts';
import { done, sameCall } from './traces.ts';

type Files = { readonly [path: string]: readonly object[] | string };
type Shown = { readonly [field: string]: unknown };

/** A folder `runs` with traces and a file of labels beside it. */
function corpus(runs: Files, labels: readonly object[] | string): string {
  const cwd = newFolder();
  const write = (path: string, content: readonly object[] | string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), typeof content === 'string' ? content : toLines(content));
  };
  mkdirSync(join(cwd, 'runs'));
  for (const [path, events] of Object.entries(runs)) write(join('runs', path), events);
  write('labels.jsonl', labels);
  return cwd;
}

async function evaluated(cwd: string, ...flags: readonly string[]) {
  const args = ['eval', 'runs', '--labels', 'labels.jsonl', '--json', ...flags];
  const { status, out, err } = await deloop(args, { cwd });
  const scores = out === '' ? [] : (JSON.parse(out) as { readonly presets: readonly Shown[] }).presets;
  return { status, err, out, scores };
}

/** Calls that nothing can be said against. */
function healthy(calls: number): readonly object[] {
  return Array.from({ length: calls }, (_, index) =>
    done(`h${index}`, 'read', { path: `${index}` }, `text ${index}`),
  ).flat();
}

function stuck(trace: string, onset: number, end: number, severity = 'serious', source = 'a') {
  return { trace, source, verdict: 'stuck', severity, kind: 'identical', onset, end, why: 'seen' };
}

function legit(trace: string, source = 'a') {
  return { trace, source, verdict: 'legit', severity: null, kind: 'none', onset: null, end: null, why: '' };
}

/** Four fine calls, then one call nine times: atomcode blocks it at its third, which is call 7. */
const LOOP = [...healthy(4), ...sameCall('x'.repeat(9))];

describe('deloop eval', () => {
  it('measures as the contract says, through halts, over every folder', async () => {
    const cwd = corpus(
      {
        'a/loop.jsonl': LOOP,
        'b/fine.jsonl': healthy(20),
        'b/polls.jsonl': sameCall('xxxxx'),
        'b/short.jsonl': sameCall('xxx'),
      },
      [
        stuck('loop', 5, 13),
        legit('fine', 'b'),
        legit('polls', 'b'),
        stuck('short', 1, 3, 'brief', 'b'),
        { ...legit('nowhere'), verdict: 'unsure' },
      ],
    );
    const { status, err, scores } = await evaluated(cwd, '--presets', 'atomcode,koda');
    expect([status, err]).toEqual([0, '']);
    expect(scores).toEqual([
      {
        name: 'atomcode',
        precision: 1 / 2,
        recall: 1,
        f1: 2 / 3,
        medianDelay: 2,
        callsSaved: 6 / 9,
        falsePositives: 1,
        hardFalsePositives: 1,
        falseAlarmsPer1000: 40,
        earlyAlarms: 0,
        brief: { caught: 1, blocked: 1, total: 1 },
        traces: 4,
        stuck: 1,
        healthy: 2,
      },
      {
        name: 'koda',
        precision: 1 / 2,
        recall: 1,
        f1: 2 / 3,
        medianDelay: 4,
        callsSaved: 4 / 9,
        falsePositives: 1,
        hardFalsePositives: 0,
        falseAlarmsPer1000: 40,
        earlyAlarms: 0,
        brief: { caught: 0, blocked: 0, total: 1 },
        traces: 4,
        stuck: 1,
        healthy: 2,
      },
    ]);
  });

  it('replays in shadow and goes on after a halt', async () => {
    // One tool fails eight times: zagens halts there. Much later the run is really stuck.
    const failing = Array.from({ length: 8 }, (_, index) =>
      done(`f${index}`, 'fetch', { page: index }, 'no', false),
    );
    const run = [...failing.flat(), ...healthy(10), ...sameCall('xxxxxx')];
    const cwd = corpus({ 'a/t.jsonl': run }, [stuck('t', 19, 24)]);
    const { scores } = await evaluated(cwd, '--presets', 'zagens', '--details');
    expect(scores).toMatchObject([
      {
        recall: 1,
        medianDelay: 2,
        callsSaved: 3 / 6,
        earlyAlarms: 2,
        details: {
          missed: [],
          falseAlarms: [],
          earlyAlarms: [
            {
              file: join('runs', 'a', 't.jsonl'),
              call: 3,
              action: 'nudge',
              detector: 'failure-streak',
              firings: 2,
              hard: true,
            },
          ],
        },
      },
    ]);
  });

  it('counts what falls after the last call of a loop of texts', async () => {
    const talk = Array.from({ length: 6 }, () => ({ type: 'turn', text: 'I will now begin.' }));
    const [call, result] = done('1', 'read', { path: 'a' }, 'x');
    const cwd = corpus({ 'a/t.jsonl': [{ type: 'turn' }, call, result, ...talk] }, [stuck('t', 1, 1)]);
    const { scores } = await evaluated(cwd, '--presets', 'attocode');
    expect(scores).toMatchObject([{ recall: 1, medianDelay: 0, callsSaved: 0 }]);
  });

  it('measures every preset unless told otherwise, each once and in the order asked for', async () => {
    const cwd = corpus({ 'a/loop.jsonl': LOOP }, [stuck('loop', 5, 13)]);
    const names = ({ scores }: { readonly scores: readonly Shown[] }) => scores.map(({ name }) => name);
    expect(names(await evaluated(cwd))).toEqual(Object.keys(presets));
    expect(names(await evaluated(cwd, '--presets', 'all'))).toEqual(Object.keys(presets));
    expect(names(await evaluated(cwd, '--presets', 'zagens, koda,zagens'))).toEqual(['zagens', 'koda']);
  });

  it('measures a config beside them, whatever its mode', async () => {
    const cwd = corpus({ 'a/loop.jsonl': LOOP }, [stuck('loop', 5, 13)]);
    const config = { preset: 'atomcode', mode: 'off', tools: { read: { exempt: true } } };
    writeFileSync(join(cwd, 'own.json'), JSON.stringify(config));
    const { scores } = await evaluated(cwd, '--presets', 'atomcode', '--config', 'own.json');
    expect(scores).toMatchObject([
      { name: 'atomcode', recall: 1 },
      { name: 'own.json', recall: 0 },
    ]);
    writeFileSync(join(cwd, 'own.json'), JSON.stringify({ preset: 'atomcode', mode: 'off' }));
    const again = await evaluated(cwd, '--presets', 'atomcode', '--config', 'own.json');
    expect(again.scores).toMatchObject([{ recall: 1 }, { name: 'own.json', recall: 1 }]);
  });

  it('tells which runs it got wrong, with --details alone', async () => {
    const cwd = corpus({ 'a/loop.jsonl': healthy(9), 'a/fine.jsonl': sameCall('xxx') }, [
      stuck('loop', 2, 9),
      legit('fine'),
    ]);
    const { scores } = await evaluated(cwd, '--presets', 'atomcode', '--details');
    expect(scores[0]?.['details']).toEqual({
      missed: [
        {
          file: join('runs', 'a', 'loop.jsonl'),
          kind: 'identical',
          onset: 2,
          end: 9,
          call: null,
          action: null,
          detector: null,
          firings: 0,
          hard: false,
        },
      ],
      falseAlarms: [
        {
          file: join('runs', 'a', 'fine.jsonl'),
          kind: 'none',
          onset: null,
          end: null,
          call: 3,
          action: 'block',
          detector: 'outcome-repeat',
          firings: 1,
          hard: true,
        },
      ],
      earlyAlarms: [],
    });
    expect((await evaluated(cwd, '--presets', 'atomcode')).scores[0]).not.toHaveProperty('details');
    const { out } = await deloop(
      ['eval', 'runs', '--labels', 'labels.jsonl', '--presets', 'atomcode', '--details'],
      { cwd },
    );
    expect(out).toContain(`missed  ${join('runs', 'a', 'loop.jsonl')}  identical; stuck at calls 2 to 9`);
    expect(out).toContain(
      `false alarm  ${join('runs', 'a', 'fine.jsonl')}  none; block at call 3 (outcome-repeat)`,
    );
  });

  it('prints a table with a dash where there is nothing to divide by', async () => {
    const cwd = corpus({ 'a/fine.jsonl': healthy(9) }, [legit('fine')]);
    const { status, out, err } = await deloop(
      ['eval', 'runs', '--labels', 'labels.jsonl', '--presets', 'koda'],
      { cwd },
    );
    expect([status, err]).toEqual([0, '']);
    expect(out).toContain('0 stuck runs, 1 healthy run, 0 with a short loop; 9 calls.');
    expect(out).toMatch(/^preset +precision +recall +F1 +delay +saved/m);
    expect(out).toMatch(/^koda +- +- +- +- +- +0 +0 +0 +0 +0 of 0 +0$/m);
  });

  it('says the same to the byte when asked again', async () => {
    const cwd = corpus({ 'a/loop.jsonl': LOOP, 'a/fine.jsonl': healthy(9) }, [
      stuck('loop', 5, 13),
      legit('fine'),
    ]);
    const flags = ['--details', '--html', 'page.html'] as const;
    const first = await evaluated(cwd, ...flags);
    const page = readFileSync(join(cwd, 'page.html'), 'utf8');
    expect(await evaluated(cwd, ...flags)).toEqual(first);
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toBe(page);
  });

  it('writes a page that no name in the labels can break', async () => {
    const name = `<b onclick=x>&"'`;
    const cwd = corpus({ [`a/${name}.jsonl`]: sameCall('xxx') }, [
      { ...legit(name), kind: '<script>alert(1)</script>' },
    ]);
    const { status } = await evaluated(cwd, '--presets', 'atomcode', '--details', '--html', 'page.html');
    expect(status).toBe(0);
    const page = readFileSync(join(cwd, 'page.html'), 'utf8');
    expect(page).toContain('&lt;b onclick=x&gt;&amp;&quot;&#39;.jsonl');
    expect(page).not.toMatch(/<script|<b /);
    expect(page).toContain('<svg');
  });

  it('keeps what is in files from commanding the terminal', async () => {
    const cwd = corpus({}, [{ ...legit('\u001B[2Jx') }, { ...legit('y'), verdict: '\u001B[2J' }]);
    const { status, err } = await evaluated(cwd, '--presets', 'koda');
    expect(status).toBe(3);
    expect(err).not.toContain('\u001B');
  });
});

describe('deloop eval with something missing', () => {
  it('reports labels without a trace and broken ones by line, measures the rest and exits 3', async () => {
    const labels = [
      JSON.stringify(legit('gone')),
      '{"trace": "half',
      JSON.stringify({ ...legit('fine'), verdict: 'good' }),
      '',
      JSON.stringify(legit('fine')),
      JSON.stringify(legit('fine')),
      JSON.stringify(legit('../../secret')),
    ].join('\n');
    const cwd = corpus({ 'a/fine.jsonl': healthy(9) }, labels);
    writeFileSync(join(cwd, 'secret.jsonl'), toLines(sameCall('xxx')));
    const { status, err, scores } = await evaluated(cwd, '--presets', 'koda');
    expect(status).toBe(3);
    expect(err.trimEnd().split('\n').toSorted()).toEqual([
      `deloop: labels.jsonl:1: ${join('runs', 'a', 'gone.jsonl')}: there is no such file; the label is left out`,
      'deloop: labels.jsonl:2: not JSON; the label is left out',
      'deloop: labels.jsonl:3: verdict is "good"; it must be one of stuck, legit, unsure; the label is left out',
      `deloop: labels.jsonl:6: ${join('runs', 'a', 'fine.jsonl')} is labelled on line 5 already; the label is left out`,
      'deloop: labels.jsonl:7: source and trace lead out of the folder; the label is left out',
    ]);
    expect(scores).toMatchObject([{ traces: 1, healthy: 1 }]);
  });

  it('skips lines of a trace that cannot be read, tells of a few, and exits 3', async () => {
    const cwd = corpus({ 'a/fine.jsonl': `${'?\n'.repeat(9)}${toLines(healthy(9))}` }, [legit('fine')]);
    const { status, err, scores } = await evaluated(cwd, '--presets', 'koda,zagens');
    expect(status).toBe(3);
    expect(err.split('\n')).toHaveLength(5);
    expect(err).toContain(`${join('runs', 'a', 'fine.jsonl')}:1: not JSON; the line is skipped`);
    expect(err).toContain('6 more problems like these');
    expect(scores).toMatchObject([{ healthy: 1 }, { healthy: 1 }]);
  });

  it.each([
    [['eval', 'runs', '--labels', 'none.jsonl'], '--labels none.jsonl: there is no such file'],
    [['eval', 'runs', '--labels', 'runs'], '--labels runs: it is a folder, not a file'],
    [['eval', 'none', '--labels', 'labels.jsonl'], 'none: there is no such folder'],
    [['eval', 'labels.jsonl', '--labels', 'labels.jsonl'], 'labels.jsonl: there is no such folder'],
    [['eval', 'runs'], "required option '--labels <file>' not specified"],
    [['eval', '--labels', 'labels.jsonl'], "missing required argument 'dir'"],
    [
      ['eval', 'runs', '--labels', 'labels.jsonl', '--presets', 'koda,kodda'],
      '--presets is "kodda"; it must be all, or some of koda, ',
    ],
    [
      ['eval', 'runs', '--labels', 'labels.jsonl', '--presets', ''],
      '--presets is ""; it must be all, or some of koda, ',
    ],
    [
      ['eval', 'runs', '--labels', 'labels.jsonl', '--config', 'none.json'],
      'none.json: there is no such file',
    ],
    [
      ['eval', 'runs', '--labels', 'labels.jsonl', '--config', 'koda'],
      '--config koda has the name of a preset; write it as ./koda',
    ],
  ])('answers wrong usage %j with one line and exit status 2', async (args, message) => {
    const { status, out, err } = await deloop(args, { cwd: corpus({}, []) });
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/^deloop: [^\n]+\n$/);
    expect(err).toContain(message);
  });

  it('says when the page cannot be written', async () => {
    const { status, err } = await evaluated(corpus({}, []), '--html', 'none/page.html');
    expect(status).toBe(2);
    expect(err).toBe('deloop: --html none/page.html: it could not be written (ENOENT)\n');
  });
});
