import type { RulesFor } from '../core/plan.ts';

const MAX_NAME = 40;

/** Names of tools with the name of their server before them, as most clients show them to the model. */
export type ServerName = {
  nameOf(tool: string): string;
  /** What is declared for the long name counts, then what is declared for the tool's own. */
  rulesOver(declared: RulesFor): RulesFor;
};

export function serverName(server: string): ServerName {
  const prefix = `mcp__${server.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME)}__`;
  return {
    nameOf: (tool) => prefix + tool,
    rulesOver(declared) {
      const rulesFor = (tool: string) =>
        declared(tool) ?? (tool.startsWith(prefix) ? declared(tool.slice(prefix.length)) : undefined);
      return Object.assign(rulesFor, declared.lowest === undefined ? {} : { lowest: declared.lowest });
    },
  };
}
