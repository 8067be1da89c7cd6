import { saysAlready, saysLittle, saysNo, saysPassed, saysWell } from './confirmation.ts';
import { digestShort, finish, startDigest } from './digest.ts';
import type { DigestText } from './digest-text.ts';
import { type Emptiness, emptinessOf, hasNoOutput, NOT, PLAINLY } from './emptiness.ts';
import { FAILURES } from './endings.ts';
import { digestCall } from './evidence.ts';
import { gistOf, readFailure, saidBy, saysFailed } from './failure-reading.ts';
import { readLook } from './look-reading.ts';
import { digestNormalised } from './normalise.ts';
import { readOutput } from './output-text.ts';
import { holdsQuestion } from './questions.ts';
import { readCommand, type Watching } from './shell-command.ts';
import {
  askingTools,
  changesByCode,
  commandLine,
  handingTools,
  handlingTools,
  lookingTools,
  probingTools,
  refinedKind,
  toolKinds,
  withoutCosmetics,
} from './tool-kinds.ts';
import type { Entry, Json, Sign, Status, ToolCallEvent, ToolKind, ToolResultEvent } from './types.ts';

/** Shorter results (`ok`, `[]`, a count) and shorter errors are the same for many reasons. */
export const TELLING_RESULT = 30;
export const TELLING_ERROR = 16;
/** Shorter ones mean something else from each tool; a step with a longer one shows where it got to. */
export const LONG_RESULT = 200;
/** Nothing, or a picture that is not there. */
const SHORT = 48;
export const SAYS_NOTHING: RegExp = /^\s*(?:[[<(](?:image|screenshot|picture)[^\]>)]{0,30}[\]>)])?\s*$/i;

export type CallFact = readonly [
  kind: ToolKind,
  key: number,
  changes: boolean,
  actor: number,
  checks: boolean,
  /** It looks for something in a shell. */
  searches: boolean,
  watches: Watching,
  steps: boolean,
  /** Its arguments hold a question. */
  inquires: boolean,
];
export type ResultFact = {
  readonly kind: ToolKind;
  readonly key: number;
  readonly changes: boolean;
  readonly status: Status;
  readonly outage: boolean;
  readonly outcome: number;
  readonly family: number;
  readonly size: number;
  readonly actor: number;
  readonly checks: boolean;
  /** Characters that say anything: what is masked does not. */
  readonly telling: number;
  readonly negative: boolean;
  /** A shorter answer may well be the same for other things. */
  readonly common: number;
  /** How far a question had no answer. */
  readonly empty: Emptiness;
  /** It may have found something out: it does not just take what it is given. */
  readonly found: boolean;
  readonly sign: Sign;
  readonly passed: boolean;
  /** A command that may take another step each time. */
  readonly steps: boolean;
  /** Of a failure: the lines that tell it, and where it stands. */
  readonly gist: number;
  readonly place: number;
};

const NOTHING_NOTED: CallFact = ['other', 0, false, 0, false, false, 'nothing', false, false];

/** What the ledger is told of calls and results. */
export type LedgerReader = {
  call(event: ToolCallEvent, declared: Entry | null): CallFact;
  result(event: ToolResultEvent, noted: Json, entry: Entry): ResultFact;
};

export function createReader(digestText: DigestText): LedgerReader {
  const kindOf = toolKinds();
  const asksOf = askingTools();
  const handsInOf = handingTools();
  const handlesOf = handlingTools();
  const looksOf = lookingTools();
  const probesOf = probingTools();
  let lastEvent: unknown = null;
  let lastFact: CallFact = NOTHING_NOTED;

  function readCall(event: ToolCallEvent, declared: Entry | null): CallFact {
    // Asked to note what it has just observed; a host may use its object again for another call.
    const known = declared === null && lastEvent === event;
    lastEvent = null;
    if (known) return lastFact;
    const { tool, args } = event;
    let kind = declared?.poll === true ? 'poll' : refinedKind(kindOf(tool), args);
    if (declared?.poll === false && kind === 'poll') kind = 'other';
    let changes = kind === 'write' || kind === 'act';
    if (declared?.effect !== undefined) {
      changes = declared.effect === 'write';
      if (declared.effect === 'shell') kind = 'shell';
      else if (changes) kind = 'write';
    }
    let actor = tool;
    let checks = false;
    let searches = false;
    let watches: Watching = 'nothing';
    let steps = false;
    if (kind === 'shell') {
      const command = readCommand(commandLine(args) ?? 'none');
      changes = command.effect === 'change';
      ({ checks, searches, watches, steps } = command);
      if (command.effect === 'wait') kind = 'wait';
      else if (command.effect === 'look') kind = 'poll';
      else if (command.reads) kind = 'read';
      actor = `${tool} ${command.program}`;
    }
    if (kind === 'other' && changesByCode(args)) changes = true;
    const shown = actor === tool ? args : withoutCosmetics(args);
    // Where it is digested already, nothing is read twice.
    const exact = declared !== null && shown === args && declared.tool === tool ? declared.exact : 0;
    const fact: CallFact = [
      kind,
      (exact || digestCall(tool, shown, digestText)) >>> 0,
      changes,
      digestText(actor) >>> 0,
      checks,
      searches,
      watches,
      steps,
      kind === 'other' && !handlesOf(tool) && holdsQuestion(args),
    ];
    lastEvent = event;
    lastFact = fact;
    return fact;
  }

  function readResult(event: ToolResultEvent, noted: Json, entry: Entry): ResultFact {
    const { tool } = entry;
    const [asked, key, changes, actor, checks, searches, watches, steps, inquires] = (noted ??
      NOTHING_NOTED) as CallFact;
    const shown = readOutput(event);
    const text = saidBy(shown, asked);
    const about = inquires ? 'something' : probesOf(tool) ? 'address' : 'nothing';
    // What shows something and tells of no failure has gone well, as far as anybody knows.
    const host = event.status === 'unknown' && shown !== '' ? 'ok' : event.status;
    const said = saysFailed(shown, host, asked, about) ? 'error' : host;
    const { kind, pending, sign } =
      changes || checks || entry.poll !== undefined
        ? { kind: asked, pending: false, sign: 'plain' as const }
        : readLook(text, FAILURES.includes(said), { kind: asked, watches, looksAt: looksOf(tool) });
    // What is there need not be made: an answer, and no change.
    const already = asked === 'act' && saysAlready(text);
    const told = pending || (already && FAILURES.includes(said)) ? 'unknown' : said;
    const failed = FAILURES.includes(told);
    const failure = failed ? readFailure(text, told, kind, tool, digestText) : null;
    const status = failure?.status ?? told;
    const digest = startDigest(digestText);
    if (text.length < LONG_RESULT || failed) digestShort(digest, tool);
    digestShort(digest, status);
    const size = digestNormalised(digest, text);
    const telling = tellingOf(text, size, kind === 'other' && !failed);
    // Nobody is there, whatever is asked, and whatever is said of it.
    const isMissing = pending && sign === 'guessed';
    const outcome = isMissing ? actor : finish(digest) >>> 0;
    const shows = kind === 'step' && text.length >= LONG_RESULT ? 'read' : kind;
    entry.kind = shows;
    const isActive = kind === 'other' || kind === 'act';
    // What is told to do something is asked nothing.
    const asks = asked !== 'act' && asksOf(tool);
    return {
      kind: shows,
      key: isMissing ? actor : key,
      changes: changes && !already,
      status,
      outage: failure?.outage === true,
      outcome,
      family: failure?.family ?? 0,
      size: text.length,
      actor,
      checks,
      telling,
      negative: isActive && saysNo(text),
      common: commonBelow(asks || kindOf(tool) === 'shell', handlesOf(tool) && kind !== 'read'),
      empty: emptyOf(text, kind === 'read' || inquires, searches, asks),
      found: !handsInOf(tool) && !(isActive && saysWell(text)),
      sign,
      passed: checks && !failed && saysPassed(text),
      steps,
      gist: failure !== null && checks && kind === 'shell' ? gistOf(text, failure.place, digestText) : 0,
      place: failure?.place ?? 0,
    };
  }

  return { call: readCall, result: readResult };
}

/** Questions and commands may be put in other words: then the same answer is no news, however short. */
function commonBelow(asks: boolean, handles: boolean): number {
  return asks ? 0 : handles ? Number.MAX_SAFE_INTEGER : LONG_RESULT;
}

/** Whether there was no answer. Who takes questions may say so in many words; others must say it plainly. */
function emptyOf(text: string, looks: boolean, searches: boolean, asks: boolean): Emptiness {
  if (searches) return hasNoOutput(text) ? PLAINLY : NOT;
  if (!asks && !looks) return NOT;
  const empty = emptinessOf(text);
  return asks || empty === PLAINLY ? empty : NOT;
}

/** Characters that say anything. `acts` = it may have done something: then that all went well is said of many things. */
function tellingOf(text: string, size: number, acts: boolean): number {
  if (text.length < SHORT && SAYS_NOTHING.test(text)) return 0;
  return acts && saysLittle(text) ? Math.min(size, TELLING_RESULT - 1) : size;
}
