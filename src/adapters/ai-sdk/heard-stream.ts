/** Hears a part before it is handed on: null = go on; a list = the stream ends behind this part with what is in it. */
type Hear<Part> = (part: Part) => readonly Part[] | null;

/**
 * The same stream, heard. Every stream more that parts pass through costs several microseconds for each of them, and there are many:
 * so where it is piped on, as the SDK does, the parts are carried over by hand, and no stream is added.
 */
export function heardStream<Part>(parts: ReadableStream<Part>, hear: Hear<Part>): ReadableStream<Part> {
  const reader = parts.getReader();
  const stream = new ReadableStream<Part>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        const end = hear(value);
        controller.enqueue(value);
        if (end === null) return;
        for (const part of end) controller.enqueue(part);
        controller.close();
        await reader.cancel();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const pipeThrough: typeof stream.pipeThrough = (pair, options) => {
    if (options !== undefined || pair.writable.locked)
      return ReadableStream.prototype.pipeThrough.call(stream, pair, options) as never;
    // Nobody else may read from it.
    stream.getReader();
    carry(reader, pair.writable.getWriter(), hear);
    return pair.readable;
  };
  return Object.defineProperty(stream, 'pipeThrough', { value: pipeThrough });
}

/** As `pipeTo` does it: what breaks on one side ends the other. */
async function carry<Part>(
  reader: ReadableStreamDefaultReader<Part>,
  writer: WritableStreamDefaultWriter<Part>,
  hear: Hear<Part>,
): Promise<void> {
  writer.closed.catch((error) => reader.cancel(error)).catch(() => {});
  try {
    for (;;) {
      await writer.ready;
      const { done, value } = await reader.read();
      if (done) break;
      const end = hear(value);
      writer.write(value).catch(() => {});
      if (end === null) continue;
      for (const part of end) writer.write(part).catch(() => {});
      reader.cancel().catch(() => {});
      break;
    }
    await writer.close();
  } catch (error) {
    writer.abort(error).catch(() => {});
  }
}
