import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type Label, toLabel } from '../../report/label.ts';
import { createLineSplitter, type Line } from '../../transcripts/lines.ts';
import { UsageError } from '../exit.ts';
import { fileExists } from '../small-file.ts';
import { TRANSCRIPT_ENDINGS } from '../transcript-files.ts';
import { whyNot } from '../why-not.ts';

/** A label with the line it stands on and the file it is about. */
export type PlacedLabel = { readonly line: number; readonly file: string; readonly label: Label };

/** The labels of a file, in its order; `complain` hears of the lines that are none. */
export async function readLabels(
  file: string,
  folder: string,
  complain: (line: number, why: string) => void,
): Promise<readonly PlacedLabel[]> {
  const labels = new Map<string, PlacedLabel>();
  for await (const { line, text } of linesOf(file)) {
    const label = text === null ? 'the line is too long to read' : parsed(text);
    if (typeof label === 'string') {
      complain(line, label);
      continue;
    }
    const trace = fileOf(join(folder, label.source, label.trace));
    const before = labels.get(trace);
    if (before === undefined) labels.set(trace, { line, file: trace, label });
    else complain(line, `${trace} is labelled on line ${before.line} already`);
  }
  return [...labels.values()];
}

/** The run of this name, whatever its ending; without one, the trace that should be there. */
function fileOf(path: string): string {
  const files = TRANSCRIPT_ENDINGS.map((ending) => `${path}${ending}`);
  return files.find(fileExists) ?? `${path}.jsonl`;
}

async function* linesOf(file: string): AsyncGenerator<Line, void, void> {
  const splitter = createLineSplitter();
  try {
    for await (const chunk of createReadStream(file)) yield* splitter.push(chunk as Uint8Array);
  } catch (cause) {
    throw new UsageError(`--labels ${file}: ${whyNot(cause)}`, { cause });
  }
  yield* splitter.end();
}

function parsed(text: string): Label | string {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  const label = toLabel(raw);
  return typeof label === 'object' && leadsOut(label) ? 'source and trace lead out of the folder' : label;
}

/** A label must not have files read that lie elsewhere. */
function leadsOut({ source, trace }: Label): boolean {
  return join(source, `${trace}.jsonl`).split(/[\\/]/)[0] === '..';
}
