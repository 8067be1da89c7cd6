/** Hears a part before it is handed on: null = go on; a list = the stream ends behind this part with what is in it. */
export type HearPart<Part> = (part: Part) => readonly Part[] | null | Promise<readonly Part[] | null>;

/** The same stream, heard. An async generator would take three turns of the queue for each part, and there are many. */
export function watchedParts<Part>(parts: AsyncIterable<Part>, hear: HearPart<Part>): AsyncIterable<Part> {
  return {
    [Symbol.asyncIterator]() {
      const inner = parts[Symbol.asyncIterator]();
      let ending: readonly Part[] | null = null;
      let given = 0;

      function heard(result: IteratorResult<Part>, last: readonly Part[] | null): IteratorResult<Part> {
        ending = last;
        if (last !== null) inner.return?.()?.catch(() => {});
        return result;
      }

      function received(result: IteratorResult<Part>): IteratorResult<Part> | Promise<IteratorResult<Part>> {
        if (result.done === true) return result;
        const last = hear(result.value);
        if (last === null) return result;
        return last instanceof Promise ? last.then((end) => heard(result, end)) : heard(result, last);
      }

      return {
        next() {
          if (ending === null) return inner.next().then(received);
          const part = ending[given++];
          return Promise.resolve(
            part === undefined ? { done: true, value: undefined } : { done: false, value: part },
          );
        },
        async return(value) {
          if (ending === null) await inner.return?.();
          return { done: true, value };
        },
      };
    },
  };
}
