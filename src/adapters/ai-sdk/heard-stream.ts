/**
 * Hears a part before it is handed on: null = go on; a list = the stream ends behind this part with what is in it; a promise of them = the
 * part waits.
 */
type Hear<Part, Listener> = (part: Part, listener: Listener) => End<Part> | Promise<End<Part>>;
type End<Part> = readonly Part[] | null;

/** Whether the stream waits for its reader, who may never come back, or is over. */
export type Pausing = { isWaiting: boolean };

/**
 * The same stream, heard, however it is read. Every stream more that parts pass through costs several microseconds for each of them, and
 * there are many: so where it is piped on, as the SDK does, the parts are carried over by hand, and no stream is added.
 */
export function heardStream<Part, Listener>(
  parts: ReadableStream<Part>,
  hear: Hear<Part, Listener>,
  listener: Listener,
  pausing: Pausing = { isWaiting: false },
): ReadableStream<Part> {
  // Its own, because others may hear it already.
  const { getReader } = parts;
  const reader = () => getReader.call(parts) as ReadableStreamDefaultReader<Part>;
  const pulled = () => pulledFrom(reader(), hear, listener, pausing);
  parts.pipeThrough = (pair, options) => {
    if (options !== undefined || pair.writable.locked) return pulled().pipeThrough(pair, options);
    carry(reader(), pair.writable.getWriter(), hear, listener, pausing);
    return pair.readable;
  };
  parts.getReader = ((options: undefined) => pulled().getReader(options)) as typeof getReader;
  parts.pipeTo = (target, options) => pulled().pipeTo(target, options);
  parts.tee = () => pulled().tee();
  parts.values = (options) => pulled().values(options);
  parts[Symbol.asyncIterator] = () => pulled()[Symbol.asyncIterator]();
  return parts;
}

function pulledFrom<Part, Listener>(
  reader: ReadableStreamDefaultReader<Part>,
  hear: Hear<Part, Listener>,
  listener: Listener,
  pausing: Pausing,
): ReadableStream<Part> {
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        pausing.isWaiting = false;
        try {
          const { done, value } = await reader.read();
          if (done) {
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
        } finally {
          pausing.isWaiting = true;
        }
      },
      cancel: (reason) => reader.cancel(reason),
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
): Promise<void> {
  writer.closed.catch((error) => reader.cancel(error).catch(() => {}));
  try {
    await writer.ready;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
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
    writer.abort(error).catch(() => {});
  } finally {
    pausing.isWaiting = true;
  }
}
