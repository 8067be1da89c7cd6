import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../cli/run-cli.ts';
import { type Command, EVERYTHING, FILES, guarded, hasHosts, load, MODERN, recorded } from './hosts.ts';
import { expectSameInInspector } from './inspector.ts';

type Steps = { readonly steps: { readonly [name: string]: unknown } };
type Tours = {
  tourEverything(command: Command): Promise<Steps>;
  tourTask(command: Command): Promise<unknown>;
  tourFiles(command: Command, folder: string): Promise<Steps>;
};
type ModernTours = {
  tour(command: Command, mode: string): Promise<Steps>;
  tourEverything(command: Command): Promise<Steps>;
};

/** Runs a tour with a record on both sides of the guard: every byte that goes in must come out. */
async function throughGuard<Result>(
  server: Command,
  tour: (command: Command) => Promise<Result>,
): Promise<Result> {
  const folder = newFolder();
  const [near, far] = [join(folder, 'near'), join(folder, 'far')] as const;
  const result = await tour(recorded(guarded(recorded(server, far)), near));
  for (const way of ['in', 'out']) {
    const bytes = readFileSync(`${near}.${way}`);
    expect(bytes.length).toBeGreaterThan(1000);
    expect(bytes.equals(readFileSync(`${far}.${way}`)), `the bytes that went ${way}`).toBe(true);
  }
  return result;
}

/** The messages of a record, apart from times, in an order that does not depend on them. */
function messagesIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, 'TIME'))
    .sort();
}

describe.runIf(hasHosts)('the tour is the same with and without the guard', { timeout: 120_000 }, () => {
  it('v1 client, server-everything: every result, every message, every byte', async () => {
    const { tourEverything } = await load<Tours>('./tour-v1.mjs');
    const folder = newFolder();
    const [direct, behind] = await Promise.all([
      tourEverything(recorded(EVERYTHING, join(folder, 'direct'))),
      throughGuard(EVERYTHING, (command) => tourEverything(recorded(command, join(folder, 'guarded')))),
    ]);
    expect(behind).toEqual(direct);
    expect(Object.keys(direct.steps).length).toBeGreaterThan(30);
    for (const way of ['in', 'out'])
      expect(messagesIn(join(folder, `guarded.${way}`))).toEqual(messagesIn(join(folder, `direct.${way}`)));
  });

  it('v1 client, server-everything: a task', async () => {
    const { tourTask } = await load<Tours>('./tour-v1.mjs');
    const [direct, behind] = await Promise.all([tourTask(EVERYTHING), throughGuard(EVERYTHING, tourTask)]);
    expect(behind).toEqual(direct);
  });

  it('v1 client, server-filesystem', async () => {
    const { tourFiles } = await load<Tours>('./tour-v1.mjs');
    const tour = (name: string) => {
      const folder = join(newFolder(), 'files');
      mkdirSync(folder);
      const server = [...FILES, folder];
      const files = (command: Command) => tourFiles(command, folder);
      return (name === 'direct' ? files(server) : throughGuard(server, files)).then(
        ({ steps }) => JSON.parse(JSON.stringify(steps).replaceAll(folder, 'FOLDER')) as unknown,
      );
    };
    expect(await tour('guarded')).toEqual(await tour('direct'));
  });

  it.each(['legacy', 'auto', '2026-07-28'])('v2 client, v2 server, %s', async (mode) => {
    const { tour } = await load<ModernTours>('./tour-v2.mjs');
    const direct = await tour(MODERN, mode);
    const behind = await throughGuard(MODERN, (command) => tour(command, mode));
    expect(behind.steps).toEqual(direct.steps);
    expect(direct.steps['era']).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
  });

  it('v2 client, server-everything', async () => {
    const { tourEverything } = await load<ModernTours>('./tour-v2.mjs');
    const behind = await throughGuard(EVERYTHING, tourEverything);
    expect(behind.steps).toEqual((await tourEverything(EVERYTHING)).steps);
  });

  it.each([
    ['tools/list'],
    ['tools/call', '--tool-name', 'get-structured-content', '--tool-arg', 'location=Chicago'],
  ])('inspector, %s %s %s', (...words) => expectSameInInspector(words));
});
