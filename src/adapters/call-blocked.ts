const BRAND = Symbol.for('deloop.CallBlocked');

/** Thrown in place of a tool's result where nothing else can stand there; its message is for the model. */
export class CallBlocked extends Error {
  override readonly name = 'CallBlocked';
  readonly tool: string;

  constructor(tool: string, message: string) {
    super(message);
    this.tool = tool;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tells it from other errors, also when the package is there twice. */
export function isCallBlocked(error: unknown): error is CallBlocked {
  return typeof error === 'object' && error !== null && BRAND in error;
}
