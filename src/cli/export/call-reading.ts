import { type Command, readCommand } from '../../core/shell-command.ts';
import { changesByCode, commandLine, refinedKind, toolKinds } from '../../core/tool-kinds.ts';
import type { Json, ToolKind } from '../../core/types.ts';

/** What the ledger makes of a call. */
export type CallReading = {
  readonly kind: ToolKind;
  /** Of a shell: what its command line does. */
  readonly command: Command | null;
};

export function createCallReader(): (tool: string, args: Json) => CallReading {
  const kindOf = toolKinds();
  return (tool, args) => {
    const kind = refinedKind(kindOf(tool), args);
    if (kind === 'other' && changesByCode(args)) return { kind: 'act', command: null };
    if (kind !== 'shell') return { kind, command: null };
    const command = readCommand(commandLine(args) ?? 'none');
    return { kind: kindOfCommand(command), command };
  };
}

/** Whether the guard sees the same in both, names of programs aside. */
export function sameReading(one: CallReading, other: CallReading): boolean {
  const [a, b] = [one.command, other.command];
  return one.kind === other.kind && a?.effect === b?.effect && a?.checks === b?.checks;
}

function kindOfCommand({ effect, reads }: Command): ToolKind {
  if (effect === 'wait') return 'wait';
  if (effect === 'look') return 'poll';
  return reads ? 'read' : 'shell';
}
