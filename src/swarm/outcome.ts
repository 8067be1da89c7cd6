import { base36 } from '../core/base36.ts';
import { digestShort, finish, startDigest } from '../core/digest.ts';
import type { DigestText } from '../core/digest-text.ts';
import { FAILURES, NOT_RUN } from '../core/endings.ts';
import type { Outcome } from '../core/events.ts';
import { readFailure, tellingLine } from '../core/failure-reading.ts';
import { digestNormalised } from '../core/normalise.ts';
import { outputText } from '../core/output-text.ts';
import { refinedKind, toolKinds } from '../core/tool-kinds.ts';
import type { Json } from '../core/types.ts';
import type { Note } from '../stores/board.ts';

export type ReadOutcome = (
  worker: string,
  key: string,
  tool: string,
  args: Json,
  outcome: Outcome,
) => readonly (Note & { readonly kind: 'result' | 'failure' })[];

/** What is told of a result: a digest of what stays the same on every run, and the kind of error it was. */
export function outcomeReader(digestText: DigestText, shareErrors: boolean): ReadOutcome {
  const kindOf = toolKinds();
  return (worker, key, tool, args, { output, status }) => {
    if (NOT_RUN.includes(status)) return [];
    const text = outputText(output);
    const digest = startDigest(digestText);
    digestShort(digest, status);
    digestNormalised(digest, text);
    const told = { worker, outcome: base36(finish(digest)) };
    if (!FAILURES.includes(status)) return [{ kind: 'result', key, ...told, failed: false }];
    const { status: read, family } = readFailure(
      text,
      status,
      refinedKind(kindOf(tool), args),
      tool,
      digestText,
    );
    // A person who says no, or a command that found nothing, is no failure.
    if (family === 0 || NOT_RUN.includes(read)) return [{ kind: 'result', key, ...told, failed: false }];
    const said = shareErrors ? tellingLine(text) : undefined;
    return [
      { kind: 'result', key, ...told, failed: true, said },
      { kind: 'failure', worker, key: base36(family), said },
    ];
  };
}
