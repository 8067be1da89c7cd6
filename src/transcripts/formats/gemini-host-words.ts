import { nameOf } from '../fields.ts';

const WORKSPACE = '**Workspace Directories:**\n  - ';
/** Words that the host puts into the person's mouth. */
const HOST_WORDS = [
  '<session_context>',
  '<hook_context>',
  'System: Potential loop detected.',
  'This is the Gemini CLI. We are setting up the context',
];
const CONTINUE = 'Please continue.';

/** Whether the host, not the person, says this in a user's message. */
export function isHostWords(text: string): boolean {
  return text === CONTINUE || HOST_WORDS.some((words) => text.startsWith(words));
}

/** The folder of the project, which the host's first words tell. */
export function workspaceOf(context: string): string | undefined {
  const at = context.indexOf(WORKSPACE);
  if (at < 0) return undefined;
  const from = at + WORKSPACE.length;
  const end = context.indexOf('\n', from);
  return nameOf(context.slice(from, end < 0 ? undefined : end));
}
