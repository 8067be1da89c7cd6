import { checkedGuards } from '../../core/checked-guard.ts';
import type { Options } from '../../index.ts';
import { fastDigestText } from '../../platform/digest-text.ts';
import { DEFAULT_PRESET, detectorKinds, presetOf } from '../../presets/registry.ts';
import type { PriceTable } from '../../report/prices.ts';
import { readSource, type Source, type SourceRead } from './read-source.ts';
import type { Redaction } from './redaction.ts';
import { createSessionScan, type ScannedSession, type SessionOptions } from './scan-session.ts';

/** What a scan needs to know, as plain data: it goes to other threads. */
export type ScanSettings = {
  readonly guard: Pick<Options, 'preset' | 'attended' | 'tools' | 'messages'>;
  readonly prices: PriceTable;
  readonly redaction: Redaction;
};

export type ScannedSource = SourceRead & {
  /** Null = nothing happens in it. */
  readonly scanned: ScannedSession | null;
  /** Records that could not be read, and why the first of them. */
  readonly problems: number;
  readonly firstProblem: string | null;
};

/** One guard's settings, checked once for all sessions. */
export function sessionOptions({ guard, prices, redaction }: ScanSettings): SessionOptions {
  const makeGuard = checkedGuards({
    ...guard,
    mode: 'shadow',
    preset: presetOf(guard.preset ?? DEFAULT_PRESET),
    described: detectorKinds,
    digestText: fastDigestText,
  });
  return { makeGuard, prices, redaction };
}

export function scanSource(
  source: Source,
  options: SessionOptions,
  onBytes?: (bytes: number) => void,
): ScannedSource {
  const scan = createSessionScan(options);
  let events = 0;
  const { event } = scan.sink;
  const read = readSource(
    source,
    {
      ...scan.sink,
      event(told, line) {
        events += 1;
        event(told, line);
      },
    },
    onBytes,
  );
  const file = source.session === undefined ? source.path : `${source.path}#${source.session}`;
  const session = scan.finish(file, read.format ?? 'unknown');
  const { problems, firstProblem } = session;
  return { ...read, scanned: events === 0 ? null : session, problems, firstProblem };
}
