import { holds, type Session } from './session.ts';
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
      return isSettled(said) || !isRunHere(tools[toolName])
        ? said
        : held(session, toolName, input, { toolCallId, messages: options.messages }, said);
    };
    return approve;
  }
  const watched = Object.entries(tools).filter(([, tool]) => isRunHere(tool));
  return Object.fromEntries([
    ...Object.entries(own ?? {}),
    ...watched.map(([name, tool]) => {
      const approve: ApproveInput = async (input, options) => {
        const asked = own?.[name] ?? ((...call) => needed(tool, ...call));
        const said = typeof asked === 'function' ? await asked(input, options) : asked;
        return isSettled(said) ? said : held(session, name, input, options, said);
      };
      return [name, approve] as const;
    }),
  ]);
}

function isRunHere(tool: Tool | undefined): boolean {
  return typeof tool?.execute === 'function';
}

/** The user's own word is enough: the call does not run, or a person is asked anyway. */
function isSettled(said: Approval): boolean {
  const type = typeof said === 'object' ? said.type : said;
  return type === 'denied' || type === 'user-approval';
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

async function held(
  session: Session,
  name: string,
  input: unknown,
  options: ToolOptions,
  otherwise: Approval,
): Promise<Approval> {
  const reason = await holds(session, name, input, options);
  return reason === null ? otherwise : { type: 'user-approval', reason };
}
