import { fieldOf, fieldsOf, parsedArgs } from './arguments.ts';
import type { Json } from './types.ts';

const STATEMENTS: readonly string[] = ['sql', 'query', 'statement', 'input'];
const NAMED = '[\\w.$"`[\\]-]{1,120}';
/** Statements that write, by more than their first words: a question to a search may begin with those. */
const WRITING_STATEMENT: RegExp = /* @__PURE__ */ new RegExp(
  `(?:^|;)[ \\t]{0,40}(?:${[
    `(?:insert|replace) into ${NAMED}\\s{0,9}(?:\\(|values\\b|select\\b|default\\b)`,
    `update ${NAMED}\\s{1,9}set\\s{1,9}${NAMED}\\s{0,9}=`,
    `delete from ${NAMED}(?:\\s{1,9}(?:where|using|limit)\\b|\\s{0,9};|\\s{0,9}$)`,
    `merge into ${NAMED}\\s{1,9}(?:as|using)\\b`,
    `create (?:[a-z]{2,12} ){0,3}(?:table|view|index|schema|function|trigger|type|policy) (?:if not exists )?${NAMED}\\s{0,9}(?:\\(|as\\b|on\\b)`,
    `alter [a-z]{4,12} ${NAMED}\\s{1,9}(?:add|drop|rename|alter|modify|owner|enable|disable|set)\\b`,
    `drop [a-z]{4,12} (?:if exists ${NAMED}|${NAMED}\\s{0,9}(?:;|cascade\\b))`,
    `truncate table ${NAMED}`,
  ].join('|')})`,
  'im',
);

/** Whether a call hands over SQL that writes. */
export function changesBySql(args: Json): boolean {
  const fields = fieldsOf(parsedArgs(args).value);
  return STATEMENTS.some((name) => {
    const text = fieldOf(fields, name);
    return typeof text === 'string' && WRITING_STATEMENT.test(text.slice(0, 10_000));
  });
}
