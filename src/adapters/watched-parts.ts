/** Hears a part before it is handed on: null = go on; a list = the stream ends behind this part with what is in it. */
export type HearPart<Part, Listener = undefined> = (
  part: Part,
  listener: Listener,
) => readonly Part[] | null | Promise<readonly Part[] | null>;

type Watched<Part, Listener> = {
  readonly inner: AsyncIterator<Part>;
  readonly hear: HearPart<Part, Listener>;
  readonly listener: Listener;
  /** What the stream ends with where it was cut, and how much of it was handed on. */
  ending: readonly Part[] | null;
  given: number;
};

/** The same stream, heard. An async generator would take three turns of the queue for each part, and there are many. */
export function watchedParts<Part, Listener = undefined>(
  parts: AsyncIterable<Part>,
  hear: HearPart<Part, Listener>,
  listener = undefined as Listener,
): AsyncIterable<Part> {
  return {
    [Symbol.asyncIterator]() {
      const inner = parts[Symbol.asyncIterator]();
      const watched: Watched<Part, Listener> = { inner, hear, listener, ending: null, given: 0 };
      const pass = (result: IteratorResult<Part>) => received(watched, result);
      return {
        next: () => (watched.ending === null ? inner.next().then(pass) : Promise.resolve(last(watched))),
        async return(value) {
          if (watched.ending === null) await inner.return?.();
          return { done: true, value };
        },
      };
    },
  };
}

function received<Part, Listener>(
  watched: Watched<Part, Listener>,
  result: IteratorResult<Part>,
): IteratorResult<Part> | Promise<IteratorResult<Part>> {
  if (result.done === true) return result;
  const end = watched.hear(result.value, watched.listener);
  if (end === null) return result;
  return end instanceof Promise
    ? end.then((later) => cut(watched, result, later))
    : cut(watched, result, end);
}

function cut<Part, Listener>(
  watched: Watched<Part, Listener>,
  result: IteratorResult<Part>,
  end: readonly Part[] | null,
): IteratorResult<Part> {
  watched.ending = end;
  if (end !== null) watched.inner.return?.()?.catch(() => {});
  return result;
}

function last<Part, Listener>(watched: Watched<Part, Listener>): IteratorResult<Part> {
  const part = watched.ending?.[watched.given++];
  return part === undefined ? { done: true, value: undefined } : { done: false, value: part };
}
