import { fieldOf, fieldsOf, parsedArgs } from './arguments.ts';
import { MAX_NAME } from './tool-kinds.ts';
import type { Json } from './types.ts';

/** Arguments that hold a question: who knows about one thing is often called after it, as `employee_handbook`. */
const QUESTIONS: readonly string[] = ['query', 'question', 'q', 'sql'];

export function holdsQuestion(args: Json): boolean {
  const fields = fieldsOf(parsedArgs(args).value);
  return QUESTIONS.some((name) => typeof fieldOf(fields, name) === 'string');
}

/** Where a search is told what to look for, and where one that is called so is told. */
const SEARCHES: readonly string[] = ['query', 'queries', 'question', 'q', 'search_query', 'keywords'];
const INPUTS: readonly string[] = ['input', 'text', 'prompt'];
const SEARCHING = /search|retriev/i;
/** SQL, GraphQL and the like say exactly what they want. */
const STATEMENT = /\bselect\s[\s\S]{1,300}?\sfrom\s|[{}]/i;

/** Whether a call looks for something by words, which might be others. */
export function asksInWords(tool: string, args: Json): boolean {
  const { value, raw } = parsedArgs(args);
  const isSearch = SEARCHING.test(tool.slice(0, MAX_NAME));
  if (raw) return isSearch;
  const fields = fieldsOf(value);
  return (isSearch ? [...SEARCHES, ...INPUTS] : SEARCHES).some((name) => {
    const given = fieldOf(fields, name);
    const text: unknown = Array.isArray(given) ? given[0] : given;
    return typeof text === 'string' && !STATEMENT.test(text.slice(0, 1000));
  });
}
