import type { Run } from './run.ts';

/** A stream has broken before there was a response: what was heard of it is none, and is not joined to what comes when the model is asked again. */
export function forgetPieces(run: Run, agent: string | undefined): void {
  // Pieces belong to no round before there is a turn.
  run.turn({ agent });
  run.tell({ type: 'rewind', agent });
}
