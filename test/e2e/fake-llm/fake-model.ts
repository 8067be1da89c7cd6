type Call = {
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** The text of a free-form tool (OpenAI Responses only), instead of `args`. */
  readonly input?: string;
  /** The namespace of a tool (OpenAI Responses only). */
  readonly namespace?: string;
};
/** `input` without what came from the cache; `reasoning` is part of `output`. */
type Tokens = {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly reasoning?: number;
};
type Turn = {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly Call[];
  readonly usage?: Tokens;
  /** How long the model takes. Default 0. */
  readonly delayMs?: number;
};
export type Script = {
  readonly conversations: readonly {
    readonly name: string;
    /** Words of a user message by which the conversation is known; without it the conversation is the main one. */
    readonly when?: string;
    readonly turns: readonly Turn[];
  }[];
  /** The answer to requests that offer no tools, such as a title for the session. */
  readonly aside?: Turn;
};
type Message = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls?: readonly { readonly id?: string; readonly tool: string; readonly args: unknown }[];
  readonly results?: readonly { readonly id?: string; readonly output: string }[];
};
/** One request, as it stands in the log; the wire format does not show. Only `path` where it asked for no answer. */
type Request = {
  readonly path: string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly string[];
  readonly messages?: readonly Message[];
  /** `aside` for requests that offer no tools. */
  readonly conversation?: string;
  /** The n-th answer of the conversation, from 1. */
  readonly turn?: number;
  readonly answer?: Turn & { readonly calls: readonly (Call & { readonly id: string })[] };
};
export type FakeModel = {
  readonly url: string;
  readonly requests: readonly Request[];
  close(): Promise<void>;
};

type Options = { readonly script: Script; readonly log?: string; readonly port?: number };

/** The server with its types: plain JavaScript, because the recorder imports it without a build. */
export async function startFakeModel(options: Options): Promise<FakeModel> {
  const server: unknown = await import(new URL('./server.mjs', import.meta.url).href);
  return (server as { startFakeModel(given: Options): Promise<FakeModel> }).startFakeModel(options);
}
