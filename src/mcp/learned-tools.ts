import type { RulesFor, ToolRules } from '../core/plan.ts';
import { toolKinds } from '../core/tool-kinds.ts';
import { type ToolDeclaration, toolRules } from '../core/tools.ts';
import { fieldsOf } from './fields.ts';

/** What a server says about its tools, under what the user has declared. */
export type LearnedTools = {
  /** Takes in the `tools` of an answer to `tools/list`. */
  learn(tools: unknown): void;
  forget(): void;
  rulesOver(declared: RulesFor): RulesFor;
};

/** Servers may have any number of tools and change them as they like; beyond this they are not remembered. */
const MAX_TOOLS = 4096;
/** Names that say what a tool does weigh more than a hint that it may be called twice. */
const CHANGING: readonly string[] = ['write', 'act', 'other'];

export function createLearnedTools(): LearnedTools {
  const rules = new Map<string, ToolRules>();
  const kindOf = toolKinds();
  const merged = new Map<string, ToolRules | undefined>();

  return {
    learn(tools) {
      if (!Array.isArray(tools)) return;
      merged.clear();
      for (const tool of tools) {
        const { name } = fieldsOf(tool);
        if (typeof name !== 'string') continue;
        const declaration = declarationOf(tool, CHANGING.includes(kindOf(name)));
        const rule = toolRules({ tool: declaration })('tool');
        if (Object.keys(declaration).length === 0 || rule === undefined) rules.delete(name);
        else if (rules.has(name) || rules.size < MAX_TOOLS) rules.set(name, rule);
      }
    },
    forget() {
      rules.clear();
      merged.clear();
    },
    rulesOver(declared) {
      const rulesFor = (tool: string): ToolRules | undefined => {
        const learned = rules.get(tool);
        if (learned === undefined) return declared(tool);
        if (!merged.has(tool)) merged.set(tool, { ...learned, ...declared(tool) });
        return merged.get(tool);
      };
      return Object.assign(rulesFor, declared.lowest === undefined ? {} : { lowest: declared.lowest });
    },
  };
}

/** A tool that only reads changes nothing; one that may be called twice sets something down. */
function declarationOf(tool: unknown, changing: boolean): ToolDeclaration {
  const { annotations, _meta } = fieldsOf(tool);
  const { readOnlyHint, idempotentHint } = fieldsOf(annotations);
  const meta = fieldsOf(_meta);
  const identity = identityIn(meta['deloop/identity']) ?? identityIn(meta['openrouter/loopKey']);
  return {
    ...(identity === undefined ? {} : { identity }),
    ...(readOnlyHint === true
      ? { effect: 'none' }
      : idempotentHint === true && changing
        ? { effect: 'write' }
        : {}),
  };
}

/** The fields that make two calls the same, or false; anything else says nothing. */
function identityIn(told: unknown): readonly string[] | false | undefined {
  if (told === false) return false;
  if (!Array.isArray(told) || told.length === 0) return undefined;
  return told.every((name) => typeof name === 'string' && name !== '') ? (told as string[]) : undefined;
}
