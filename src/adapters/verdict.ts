import type { Question, StopReason } from './stop-reason.ts';

/**
 * What a host must do with a call. `answer` = do not run it, `text` is its result; `hold` = a person decides first;
 * `stop` = do not run it and end the run; `text` may stand as its result.
 */
export type Verdict =
  | { readonly do: 'run' }
  | { readonly do: 'answer'; readonly text: string }
  | { readonly do: 'hold'; readonly text: string; readonly question: Question }
  | { readonly do: 'stop'; readonly text: string; readonly reason: StopReason };

export const RUN: Verdict = { do: 'run' };
