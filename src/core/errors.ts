/** What went wrong: `option` = a setting that can never work, `state` = a saved state that cannot be restored, `event` = input that was not understood, `store` = a store that cannot be used now. */
export type ErrorCode = 'option' | 'state' | 'event' | 'store';

/** The one error class of deloop; tell it apart by `name` and `code`, which survive duplicated packages. */
export class DeloopError extends Error {
  override readonly name = 'DeloopError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

const MAX_SHOWN = 80;

/** A value as it appears in an error message: JSON, cut short. */
export function show(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  text ??= String(typeof value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
