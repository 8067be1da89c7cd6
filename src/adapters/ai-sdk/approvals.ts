import { canHold, holds, type Session, waits } from './session.ts';
import type { Approval, Approvals, ApproveCall, ApproveInput, Tool, ToolOptions, Tools } from './shapes.ts';

/**
 * The approvals of AI SDK 7: the user's own first, then ours. Major 6 knows only `needsApproval`. Of tools without `execute` the user's own
 * alone count: the SDK could not run them after a yes.
 */
export function watchedApprovals(own: Approvals | undefined, tools: Tools, session: Session): Approvals {
  if (typeof own === 'function') {
    const approve: ApproveCall = async (options) => {
      const { toolName, toolCallId, input } = options.toolCall;
      const said = await own(options);
      const { messages } = options;
      const tool = tools[toolName];
      return isRunHere(tool)
        ? heard(session, toolName, input, { toolCallId, messages }, said, canHold(session, tool))
        : said;
    };
    return approve;
  }
  const approvalOf = (name: PropertyKey): Approval | ApproveInput => {
    const tool = ownOf(tools, name);
    const mine = ownOf(own, name);
    if (typeof name !== 'string' || !isRunHere(tool) || !(canHold(session, tool) || mine !== undefined))
      return mine;
    return async (input, options) => {
      const asked = mine ?? ((...call) => needed(tool, ...call));
      const said = typeof asked === 'function' ? await asked(input, options) : asked;
      return heard(session, name, input, options, said, canHold(session, tool));
    };
  };
  // Looked up when the SDK asks for one: both may change while the agent runs.
  return new Proxy<Exclude<Approvals, ApproveCall>>(
    {},
    {
      get: (_, name) => approvalOf(name),
      ownKeys: () => [...new Set([...Object.keys(own ?? {}), ...Object.keys(tools)])],
      getOwnPropertyDescriptor(_, name) {
        const value = approvalOf(name);
        return value === undefined ? undefined : { value, enumerable: true, configurable: true };
      },
    },
  );
}

function ownOf<Value>(
  values: { readonly [name: string]: Value } | undefined,
  name: PropertyKey,
): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name as string] : undefined;
}

function isRunHere(tool: Tool | undefined): tool is Tool {
  return typeof tool?.execute === 'function';
}

/** What the tool itself says. */
async function needed(tool: Tools[string], ...[input, options]: Parameters<ApproveInput>): Promise<Approval> {
  const { needsApproval } = tool;
  const { toolContext: context, ...rest } = options;
  const needs =
    typeof needsApproval === 'function'
      ? await needsApproval.call(tool, input, Object.assign(rest, { context }))
      : needsApproval;
  return needs ? 'user-approval' : undefined;
}

/** The user's own word is enough where the call does not run, or a person is asked anyway. */
async function heard(
  session: Session,
  name: string,
  input: unknown,
  options: ToolOptions,
  said: Approval,
  canBeHeld: boolean,
): Promise<Approval> {
  const { type, ...own } = typeof said === 'object' ? said : { type: said };
  if (type === 'denied' || (type !== 'user-approval' && !canBeHeld)) return said;
  const reason = await (type === 'user-approval' ? waits : holds)(session, name, input, options);
  return reason === null ? said : { type: 'user-approval', reason, ...own };
}
