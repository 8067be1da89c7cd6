import type { Json } from '../../core/types.ts';
import { isFields, jsonOf, nameOf } from '../fields.ts';

/** The tool behind which Qwen Code hides those whose schemas it does not show the model. */
export const QWEN_BRIDGE = 'tool_call';

/** A call as hooks see it: with the tool that is meant, not the one in between. Null = there is no tool. */
export function qwenCall(name: unknown, args: Json): { readonly tool: string; readonly args: Json } | null {
  const tool = nameOf(name);
  if (tool === undefined) return null;
  if (tool !== QWEN_BRIDGE || !isFields(args)) return { tool, args };
  const meant = nameOf(args['name']);
  return meant === undefined ? { tool, args } : { tool: meant, args: jsonOf(args['arguments']) };
}
