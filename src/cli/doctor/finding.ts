/** What a look at one thing has brought. */
export type Finding = {
  readonly level: 'ok' | 'note' | 'wrong';
  readonly text: string;
  /** What to do about it; empty = nothing. */
  readonly remedy: string;
};

export function ok(text: string): Finding {
  return { level: 'ok', text, remedy: '' };
}

export function note(text: string, remedy = ''): Finding {
  return { level: 'note', text, remedy };
}

export function wrong(text: string, remedy: string): Finding {
  return { level: 'wrong', text, remedy };
}
