import type { Command } from './hosts.ts';

type Result = {
  readonly content?: readonly { readonly text?: string }[];
  readonly isError?: boolean;
  readonly _meta?: object;
};
export type Elicit = () => { readonly action: string; readonly content?: object };
export type Connection = {
  readonly client: {
    callTool(params: { name: string; arguments: object }): Promise<Result>;
    listTools(): Promise<unknown>;
    close(): Promise<void>;
  };
  readonly asked: readonly unknown[];
};
/** `tour-v1.mjs` */
export type Legacy = {
  connect(server: Command | URL, options?: { elicit?: Elicit; capabilities?: object }): Promise<Connection>;
};
/** `tour-v2.mjs` */
export type Modern = { connect(server: Command | URL, mode: string, elicit?: Elicit): Promise<Connection> };

/** What the client makes of the same call, again and again. */
export async function loop(
  { client }: Connection,
  times: number,
  name: string,
  args: object,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let n = 1; n <= times; n++) {
    const { content = [], isError, _meta } = await client.callTool({ name, arguments: args });
    const refused =
      isError === true && (_meta !== undefined || content[0]?.text?.includes('topped') === true);
    const nudged = content.at(-1)?.text?.startsWith('[deloop] ') === true;
    seen.push(refused ? 'refused' : nudged ? 'nudged' : 'plain');
  }
  return seen;
}

export const accept: Elicit = () => ({ action: 'accept', content: {} });
export const decline: Elicit = () => ({ action: 'decline' });
/** The same call six times, under the guard that is the default. */
export const LOOP: readonly string[] = ['plain', 'plain', 'nudged', 'plain', 'refused', 'refused'];
