import type { AgentEvent, Usage } from '../core/types.ts';

/** What a transcript says about itself; a later word on a field replaces an earlier one, undefined says nothing. */
export type SessionFacts = {
  /** The session's own id. */
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  /** The folder that the agent worked in. */
  readonly project?: string | undefined;
  /** The version of the agent that wrote it. */
  readonly version?: string | undefined;
  /** The session that started this one, where this one is a sub-agent's. */
  readonly parent?: string | undefined;
  /** Milliseconds since the epoch; where it is not said, the first event's time. */
  readonly startedAt?: number | undefined;
  /** Tokens of the whole session, where the transcript counts nothing smaller. */
  readonly usage?: Usage | undefined;
};

/** Where a reader puts what it understands, in the order of the run. */
export type Sink = {
  /** `line` = the record it comes from. */
  event(event: AgentEvent, line: number): void;
  facts(facts: SessionFacts): void;
  /** A record that should be readable and is not; reading goes on. */
  problem(line: number, why: string): void;
};

/**
 * One value of a transcript, parsed and not yet trusted. A file of JSON Lines gives its lines, with an empty `key`;
 * a JSON document gives its members, those that are lists element by element, under the member's name; a document
 * that is a list gives its elements, with an empty `key`; a folder gives its files, under the file's name.
 */
export type TranscriptRecord = {
  /** 1-based: the line, or the how-manieth value. */
  readonly line: number;
  readonly key: string;
  readonly value: unknown;
};

/** Reads one transcript, record by record. */
export type Reader = {
  read(record: TranscriptRecord): void;
  /** The transcript pauses (a live one) or is over: what is held back is passed on. More records may follow. */
  flush(): void;
};

/** `lines` = JSON Lines, `document` = one JSON value, `folder` = one JSON value a file. */
export type Shape = 'lines' | 'document' | 'folder';

/** The beginning of a transcript, to recognise it by. */
export type Sample = { readonly shape: Shape; readonly records: readonly TranscriptRecord[] };

/** One way to write a session down. */
export type Format = {
  /** As in `--agent`: `claude-code`. */
  readonly name: string;
  /** For people: `Claude Code`. */
  readonly title: string;
  /** By content alone; must be cheap and never throw, whatever the records hold. */
  recognises(sample: Sample): boolean;
  /**
   * What of a line need be parsed, told by its bytes: empty = it says nothing, null = all of it. Where the rest is no JSON,
   * all of it is parsed after all.
   */
  lean?(line: Uint8Array): string | null;
  open(sink: Sink): Reader;
};
