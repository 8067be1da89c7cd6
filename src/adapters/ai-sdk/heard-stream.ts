/**
 * Hears a part before it is handed on: null = go on; a list = the stream ends behind this part with what is in it; a promise of them = the
 * part waits.
 */
type Hear<Part, Listener> = (part: Part, listener: Listener) => End<Part> | Promise<End<Part>>;
type End<Part> = readonly Part[] | null;

/** Hears that nothing more comes, of itself or by an error; not where the reader has left. */
type Ended<Listener> = (listener: Listener) => void;

/** Whether the stream waits for its reader, who may never come back, or is over. */
export type Pausing = { isWaiting: boolean };

/** Ways to read a stream, other than the one that the SDK takes. */
const READINGS: readonly PropertyKey[] = ['getReader', 'pipeTo', 'tee', 'values', Symbol.asyncIterator];

/**
 * The same stream, heard, however it is read. Every stream more that parts pass through costs several microseconds for each of them, and
 * there are many: so where it is piped on, as the SDK does, the parts are carried over by hand, and no stream is added.
 */
export function heardStream<Part, Listener>(
  parts: ReadableStream<Part>,
  hear: Hear<Part, Listener>,
  listener: Listener,
  pausing: Pausing = { isWaiting: false },
  ended: Ended<Listener> = () => {},
): ReadableStream<Part> {
  const pulled = () => pulledFrom(parts.getReader(), hear, listener, pausing, ended);
  const pipeThrough: typeof parts.pipeThrough = (pair, options) => {
    if (options !== undefined || pair.writable.locked) return pulled().pipeThrough(pair, options);
    carry(parts.getReader(), pair.writable.getWriter(), hear, listener, pausing, ended);
    return pair.readable;
  };
  // Engines give every stream a shape of its own: to put functions into it takes longer than to stand before it.
  return new Proxy(parts, {
    get(_, name) {
      if (name === 'pipeThrough') return pipeThrough;
      // To ask whether there is such a way is not to take it.
      if (READINGS.includes(name)) return (...given: readonly unknown[]) => called(pulled(), name, given);
      const value: unknown = Reflect.get(parts, name, parts);
      return typeof value === 'function' ? value.bind(parts) : value;
    },
  });
}

function called(stream: object, name: PropertyKey, given: readonly unknown[]): unknown {
  return Reflect.apply(Reflect.get(stream, name), stream, given);
}

function pulledFrom<Part, Listener>(
  reader: ReadableStreamDefaultReader<Part>,
  hear: Hear<Part, Listener>,
  listener: Listener,
  pausing: Pausing,
  ended: Ended<Listener>,
): ReadableStream<Part> {
  let isLeft = false;
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        pausing.isWaiting = false;
        try {
          const { done, value } = await reader.read();
          if (done) {
            if (!isLeft) ended(listener);
            controller.close();
            return;
          }
          const heard = hear(value, listener);
          const end = heard === null ? null : await heard;
          controller.enqueue(value);
          if (end === null) return;
          for (const part of end) controller.enqueue(part);
          controller.close();
          await reader.cancel();
        } catch (error) {
          if (!isLeft) ended(listener);
          throw error;
        } finally {
          pausing.isWaiting = true;
        }
      },
      cancel(reason) {
        isLeft = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** As `pipeTo` does it: what breaks on one side ends the other. */
async function carry<Part, Listener>(
  reader: ReadableStreamDefaultReader<Part>,
  writer: WritableStreamDefaultWriter<Part>,
  hear: Hear<Part, Listener>,
  listener: Listener,
  pausing: Pausing,
  ended: Ended<Listener>,
): Promise<void> {
  let isLeft = false;
  writer.closed.catch((error) => {
    isLeft = true;
    return reader.cancel(error).catch(() => {});
  });
  let isReading = false;
  try {
    await writer.ready;
    for (;;) {
      isReading = true;
      const { done, value } = await reader.read();
      isReading = false;
      if (done) {
        if (!isLeft) ended(listener);
        break;
      }
      const heard = hear(value, listener);
      const end = heard === null ? null : await heard;
      // Settles when there is room for the next one.
      pausing.isWaiting = true;
      await writer.write(value);
      pausing.isWaiting = false;
      if (end === null) continue;
      reader.cancel().catch(() => {});
      for (const part of end) await writer.write(part);
      break;
    }
    await writer.close();
  } catch (error) {
    if (isReading && !isLeft) ended(listener);
    writer.abort(error).catch(() => {});
  } finally {
    pausing.isWaiting = true;
  }
}
