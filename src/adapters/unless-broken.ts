import { safely } from '../core/safely.ts';

export type OnError = ((error: unknown, about: unknown) => unknown) | undefined;

/** A function of the user's; where it breaks it gives undefined, and `onError` hears of it: neither a result must be lost by it, nor the agent fail. */
export function unlessBroken<Given extends readonly unknown[], Found>(
  own: (...given: Given) => Found,
  onError: OnError,
  about: unknown,
): (...given: Given) => Found | undefined {
  return (...given) => {
    try {
      return own(...given);
    } catch (error) {
      safely(() => onError?.(error, about));
      return undefined;
    }
  };
}
