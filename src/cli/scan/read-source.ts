import { closeSync, openSync, readSync } from 'node:fs';
import { DeloopError } from '../../core/errors.ts';
import type { Format, Reader, Sample, Sink, TranscriptRecord } from '../../transcripts/format.ts';
import { openclaw } from '../../transcripts/formats/openclaw.ts';
import { opencode } from '../../transcripts/formats/opencode.ts';
import { FORMATS } from '../../transcripts/formats.ts';
import { createTranscript } from '../../transcripts/transcript.ts';
import { whyNot } from '../why-not.ts';
import type { PlaceKind } from './known-places.ts';
import { openFolder } from './session-sources/open-folder.ts';
import { openclawDatabase } from './session-sources/openclaw-database.ts';
import { opencodeDatabase } from './session-sources/opencode-database.ts';
import { opencodeStorage } from './session-sources/opencode-storage.ts';
import type { SessionSource } from './session-sources/session-source.ts';

/** One session, wherever it is: plain data, for it goes to other threads. */
export type Source = {
  readonly kind: PlaceKind;
  readonly path: string;
  /** Which one, where the place holds many. */
  readonly session?: string | undefined;
  /** Bytes, as far as they are known. */
  readonly size: number;
};

/** What a source turned out to be; `why` = it was not read, or not to its end. */
export type SourceRead = { readonly format: string | null; readonly why: string | null };

/** Places that hold many sessions, with the format of their records. */
export const STORES: {
  readonly [Kind in PlaceKind]?: { readonly source: SessionSource; readonly format: Format };
} = {
  'opencode-storage': { source: opencodeStorage, format: opencode },
  'opencode-database': { source: opencodeDatabase, format: opencode },
  'openclaw-database': { source: openclawDatabase, format: openclaw },
};

const CHUNK_BYTES: number = 512 * 1024;
/** Every file is read into it, piece by piece: one session is read at a time. */
const piece: Buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
const SAMPLE_RECORDS = 40;
export const UNKNOWN_FORMAT = 'not a transcript that deloop knows';
export const EMPTY_FILE = 'the file is empty';

/** Reads one session into the sink, to its end or to where it cannot be read any further. Never throws over what it finds. */
export function readSource(
  source: Source,
  sink: Sink,
  onBytes: (bytes: number) => void = () => {},
): SourceRead {
  try {
    const store = STORES[source.kind];
    if (store !== undefined) {
      const records = store.source.read(source.path, source.session ?? '', sink.problem);
      return readRecords(records, store.format, sink);
    }
    if (source.kind === 'folder') return readFolder(source.path, sink);
    return readFile(source.path, sink, onBytes);
  } catch (error) {
    if (error instanceof DeloopError) return { format: null, why: error.message };
    if (!isFileError(error)) throw error;
    return { format: null, why: whyNot(error) };
  }
}

function readFile(path: string, sink: Sink, onBytes: (bytes: number) => void): SourceRead {
  const transcript = createTranscript(FORMATS, sink);
  const file = openSync(path, 'r');
  let total = 0;
  try {
    while (true) {
      const size = readSync(file, piece, 0, CHUNK_BYTES, null);
      if (size === 0) break;
      total += size;
      transcript.push(size === CHUNK_BYTES ? piece : piece.subarray(0, size));
      onBytes(size);
    }
  } finally {
    closeSync(file);
  }
  transcript.end();
  const { format } = transcript;
  return {
    format: format?.name ?? null,
    why: format === null ? (total === 0 ? EMPTY_FILE : UNKNOWN_FORMAT) : null,
  };
}

/** A folder is recognised by its first files. */
function readFolder(path: string, sink: Sink): SourceRead {
  const held: TranscriptRecord[] = [];
  let reader: Reader | null = null;
  let name: string | null = null;
  const recognise = () => {
    const sample: Sample = { shape: 'folder', records: held };
    const format = FORMATS.find((candidate) => candidate.recognises(sample));
    if (format === undefined) return;
    name = format.name;
    reader = format.open(sink);
    for (const record of held) reader.read(record);
  };
  for (const record of openFolder(path, sink.problem)) {
    if (reader !== null) (reader as Reader).read(record);
    else {
      held.push(record);
      if (held.length === SAMPLE_RECORDS) recognise();
      if (held.length > SAMPLE_RECORDS) break;
    }
  }
  if (reader === null) recognise();
  (reader as Reader | null)?.flush();
  return { format: name, why: name === null ? UNKNOWN_FORMAT : null };
}

function readRecords(records: Iterable<TranscriptRecord>, format: Format, sink: Sink): SourceRead {
  const reader = format.open(sink);
  for (const record of records) reader.read(record);
  reader.flush();
  return { format: format.name, why: null };
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}
