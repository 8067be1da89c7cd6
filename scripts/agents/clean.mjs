import { hostname, tmpdir, userInfo } from 'node:os';

const LONGEST = 1_200;
const KEPT = 60;

/** A transcript without this machine in it and without the long texts that every session repeats (instructions, tools). */
export function cleaned(text, { replace, trim = (record) => record, lines }) {
  const told = replace.reduce((result, [from, to]) => result.replaceAll(from, to), text);
  if (!lines) return `${JSON.stringify(trim(shortened(JSON.parse(told))), null, 1)}\n`;
  return told
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => trim(shortened(JSON.parse(line))))
    .filter((record) => record !== undefined)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

function shortened(value) {
  if (typeof value === 'string') {
    return value.length <= LONGEST ? value : `${value.slice(0, KEPT)} [cut, ${value.length} characters]`;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}

/** What in a text tells about this machine: its folders, its name, its user. */
export function leaks(text) {
  const { username, homedir } = userInfo();
  // `root` is a word of many transcripts, as are folders of the file system that every machine has.
  const words = [
    hostname(),
    homedir,
    `${tmpdir()}/`,
    'deloop-record-',
    process.cwd(),
    ...(username === 'root' ? [] : [username]),
  ];
  return words.filter((word) => {
    const places = text.split(word).slice(0, -1);
    return places.some((before) => !/[\w<.-]$/.test(before));
  });
}
