// Texts as tools give them, made up from words: code, logs, search results, listings, test runs, prose.
import { createDice } from './dice.mjs';

const WORDS =
  'account active adapter agent amount array backend batch bound branch bucket buffer build cache call cancel chunk client clock close code column command commit config context copy count cursor data date deadline decode default delay delete depth detail digest driver edge encode end entry error event expect fail field file filter first flag flush folder format frame group guard handle hash header height hint history host index input insert item job join key kind label last layer lease length level limit line link list load lock log loop map mark match max member merge message meta method mode model module name next node notice number offset open option order output owner page parent parse part patch path pattern payload peer pending plan point policy pool port prefix price process profile prompt proxy query queue quota range rate reader record region release remote render reply report request reset resource response result retry role root route rule run sample scan schema scope score segment sender server service session shard share signal size slice snapshot socket source span stage start state status step store stream string stripe suffix sum switch symbol table target task tenant term text thread tick tile time timer token total trace track transfer tree trigger tunnel type unit update usage user value vector version view wait width window worker write zone'.split(
    ' ',
  );
const KINDS = ['code', 'code', 'code', 'log', 'search', 'listing', 'tests', 'prose', 'table'];
const ENDINGS = ['ts', 'tsx', 'py', 'go', 'rs', 'md', 'json', 'css'];
/** So many lines of each kind are made up once; a text is a stretch of them. */
const POOL_LINES = 12_000;

export function createTexts(seed) {
  const dice = createDice(seed);
  const word = () => dice.of(WORDS);
  const camel = () => `${word()}${capital(word())}`;
  const path = () => `src/${word()}/${word()}-${word()}.${dice.of(ENDINGS)}`;
  const time = () =>
    `2026-${two(dice.whole(1, 12))}-${two(dice.whole(1, 28))}T${two(dice.whole(0, 23))}:${two(dice.whole(0, 59))}:${two(dice.whole(0, 59))}.${dice.whole(100, 999)}Z`;
  const sentence = () => `${capital(Array.from({ length: dice.whole(6, 18) }, word).join(' '))}.`;
  const line = {
    code: () =>
      `${'  '.repeat(dice.whole(0, 4))}${dice.of([
        () =>
          `const ${camel()} = await ${camel()}(${word()}, { ${word()}: "${word()}", ${word()}: ${dice.whole(0, 99)} });`,
        () => `if (${word()}.${camel()} !== ${word()} && ${camel()}.length > ${dice.whole(0, 9)}) {`,
        () => `return ${word()}.map(({ ${word()}, ${word()} }) => \`\${${word()}}/${word()}\`);`,
        () => '}',
        () => `// ${sentence()}`,
        () =>
          `export function ${camel()}(${word()}: ${capital(word())}, ${word()} = ${dice.whole(0, 500)}): ${capital(word())} {`,
        () => '',
      ])()}`,
    log: () =>
      `${time()} ${dice.of(['INFO', 'DEBUG', 'WARN'])} [${word()}.${word()}] ${sentence()} ${word()}=${dice.whole(1, 9999)} ${word()}=${dice.hex(8)}`,
    search: () =>
      `${path()}:${dice.whole(1, 900)}:${'  '.repeat(dice.whole(0, 3))}${camel()}(${word()}, ${word()});`,
    listing: () =>
      `-rw-r--r-- 1 dev dev ${String(dice.whole(10, 99_999)).padStart(6)} Nov ${dice.whole(1, 30)} ${two(dice.whole(0, 23))}:${two(dice.whole(0, 59))} ${word()}-${word()}.${dice.of(ENDINGS)}`,
    tests: () => ` ✓ ${path()} > ${sentence()} (${dice.whole(1, 900)} ms)`,
    prose: () => `${sentence()} ${sentence()} ${sentence()}`,
    table: () => `| ${word()} | ${camel()} | ${dice.whole(1, 99_999)} | ${dice.whole(1, 99)} % |`,
  };
  const pools = Object.fromEntries(
    Object.entries(line).map(([kind, make]) => [kind, Array.from({ length: POOL_LINES }, make)]),
  );

  /** About so many characters of one kind of text. */
  function text(kind, length) {
    const pool = pools[kind];
    const lines = [];
    let at = dice.whole(0, POOL_LINES - 1);
    for (let left = length; left > 0; at = (at + 1) % POOL_LINES) {
      lines.push(pool[at]);
      left -= pool[at].length + 1;
    }
    return lines.join('\n');
  }

  return { dice, word, camel, path, sentence, text, kind: () => dice.of(KINDS) };
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

function two(number) {
  return String(number).padStart(2, '0');
}
