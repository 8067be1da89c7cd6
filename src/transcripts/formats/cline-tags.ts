import type { Json, Status } from '../../core/types.ts';
import type { Turns } from '../turns.ts';

/** Calls that the model wrote into its text, as Cline had it before it used native calls; one a message. */
export type TagReader = {
  call(text: string, at: number | undefined, line: number): void;
  /** Takes the answer out of the texts of the next message and gives back the rest. */
  result(texts: readonly string[], at: number | undefined, line: number): readonly string[];
};

const TOOLS: ReadonlySet<string> = new Set([
  'access_mcp_resource',
  'apply_diff',
  'ask_followup_question',
  'attempt_completion',
  'browser_action',
  'condense',
  'execute_command',
  'insert_content',
  'list_code_definition_names',
  'list_files',
  'load_mcp_documentation',
  'new_task',
  'plan_mode_respond',
  'read_file',
  'replace_in_file',
  'search_and_replace',
  'search_files',
  'switch_mode',
  'use_mcp_tool',
  'web_fetch',
  'web_search',
  'write_to_file',
]);

export function createTagReader(turns: Turns): TagReader {
  let open: { id: string; tool: string } | null = null;

  return {
    call(text, at, line) {
      open = null;
      const found = callIn(text);
      if (found === null) return;
      open = { id: `line-${line}`, tool: found.tool };
      turns.add({ type: 'tool-call', ...open, args: found.args, at }, line);
    },
    result(texts, at, line) {
      const call = open;
      open = null;
      const from = call === null ? -1 : texts.findIndex((text) => text.startsWith(`[${call.tool}`));
      if (call === null || from < 0) return texts;
      const first = texts[from] as string;
      const mark = first.indexOf('] Result:');
      const answer = [mark < 0 ? first : first.slice(mark + '] Result:'.length).trim()];
      let end = from + 1;
      // The output stands in the same text, or in the next ones, up to what the host adds.
      while (end < texts.length && !(texts[end] as string).startsWith('<environment_details>')) {
        answer.push(texts[end] as string);
        end += 1;
      }
      const output = answer.filter((text) => text !== '').join('\n');
      turns.add({ type: 'tool-result', ...call, status: statusOf(output, call.tool), output, at }, line);
      return [...texts.slice(0, from), ...wordsIn(output), ...texts.slice(end)];
    },
  };
}

function callIn(text: string): { readonly tool: string; readonly args: Json } | null {
  for (const tag of text.matchAll(/<([a-z_]{4,40})>/g)) {
    const tool = tag[1] as string;
    if (!TOOLS.has(tool)) continue;
    const from = tag.index + tag[0].length;
    const end = text.lastIndexOf(`</${tool}>`);
    return { tool, args: parametersIn(text.slice(from, end < from ? undefined : end)) };
  }
  return null;
}

function parametersIn(text: string): Json {
  const parameters: [string, string][] = [];
  const tags = /<([A-Za-z_]{2,40})>/g;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    const name = tag[1] as string;
    const closing = `</${name}>`;
    // A file's content may hold such tags itself: its own end is the last one.
    const whole = name === 'content' || name === 'diff';
    const end = whole ? text.lastIndexOf(closing) : text.indexOf(closing, tags.lastIndex);
    parameters.push([name, text.slice(tags.lastIndex, end < tags.lastIndex ? undefined : end).trim()]);
    if (end < tags.lastIndex) break;
    tags.lastIndex = end + closing.length;
  }
  return Object.fromEntries(parameters);
}

/** The exit code of a command was not always told. */
function statusOf(output: string, tool: string): Status {
  const head = output.slice(0, 300);
  if (head.startsWith('The user denied this operation')) return 'denied';
  if (head.includes('Missing value for required parameter')) return 'invalid';
  if (head.startsWith('The tool execution failed') || head.startsWith('Command failed')) return 'error';
  return tool === 'execute_command' && !head.startsWith('Command executed successfully') ? 'unknown' : 'ok';
}

/** What a person said with the answer. */
function wordsIn(output: string): readonly string[] {
  const at = output.search(/<(?:answer|feedback|user_message)>/);
  return at < 0 ? [] : [output.slice(at)];
}
