/** A model that says this and nothing else. */
export function modelSaying(text: string, { provider, modelId }: ModelName): object {
  const finishReason = 'stop';
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const content = [{ type: 'text', text }];
  const id = '1';
  return {
    specificationVersion: 'v2',
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: async () => ({ content, finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id });
          controller.enqueue({ type: 'text-delta', id, delta: text });
          controller.enqueue({ type: 'text-end', id });
          controller.enqueue({ type: 'finish', finishReason, usage });
          controller.close();
        },
      }),
    }),
  };
}
export type ModelName = { readonly provider?: unknown; readonly modelId?: unknown };
