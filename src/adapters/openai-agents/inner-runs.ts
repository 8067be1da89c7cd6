import { fieldsOf } from '../fields.ts';
import type { InvocationIn } from './input-filter.ts';
import type { Invocation } from './invocation.ts';
import { idIn } from './items.ts';
import type { Places } from './places.ts';
import type { Context, InputFilter, Item } from './shapes.ts';

/** A tool that runs: agents may be run inside of it, and nobody says so before they call. */
type ToolRun = {
  readonly inside: Invocation;
  /** The call of it. */
  readonly id: string | undefined;
  /** The one run in it goes on from where it was. */
  readonly goesOn: boolean;
  /** The first run in it, by its context; null = none yet. */
  own: Invocation | null;
  context: Context | undefined;
  /** The others. */
  more: Map<Context, Invocation> | null;
};

/** Where something happens: in a run, or in a tool that it has called. */
export type Where = Invocation | ToolRun;

/** Runs of agents inside of tools: the SDK begins them itself, so they are met in what it reads and calls. */
export type InnerRuns = {
  /** The invocation that something happens in; undefined = none, or it cannot be told from others in the same tool. */
  current(context?: Context): Invocation | undefined;
  /** The invocation that a run or a tool belongs to which begins or ends now. */
  around(): Invocation | undefined;
  /** The call of the tool that something happens in. */
  call(): string | undefined;
  /** All that follows is inside of a tool. */
  enter(context: Context, call?: Item): void;
  /** For the options of such a run: read whenever one begins, so each has an invocation of its own. */
  filter(): InputFilter;
};

type InnerRunsOptions = {
  readonly places: Places<Where>;
  /** `isPlain` = it was begun without a word to the guard. */
  readonly open: (around: Invocation, isPlain: boolean) => Invocation;
  readonly filterOf: (invocation: InvocationIn) => InputFilter;
};

export function createInnerRuns({ places, open, filterOf }: InnerRunsOptions): InnerRuns {
  const openIn = ({ inside, id }: ToolRun) => keep(inside, id, open(inside, true));

  function current(context?: Context): Invocation | undefined {
    const place = places.here;
    return isToolRun(place) ? runIn(place, context, openIn) : place;
  }

  function around(): Invocation | undefined {
    const place = places.here;
    return isToolRun(place) ? place.inside : place;
  }

  return {
    current,
    around,
    call: () => callIn(places.here),
    enter(context, call) {
      const inside = current(context);
      if (inside !== undefined) places.enter(toolRun(inside, call && idIn(call), openIn));
    },
    filter() {
      const outer = around();
      // Read before any run, and used in all of them.
      if (outer === undefined) return filterOf(() => current());
      outer.rest();
      const now = begunIn(places.here) ?? keep(outer, callIn(places.here), open(outer, false));
      places.enter(now);
      return filterOf(() => now);
    },
  };
}

function toolRun(inside: Invocation, id: string | undefined, open: (place: ToolRun) => Invocation): ToolRun {
  const place = { inside, id, goesOn: false, own: null, context: undefined, more: null };
  const saved = id === undefined ? undefined : savedIn(inside, id);
  if (id === undefined || saved === undefined) return place;
  const own = inside.callAt(id).inner ?? open(place);
  return { ...place, goesOn: true, own: Object.assign(own, resumed(inside, saved)) };
}

function savedIn({ paused }: Invocation, id: string): string | undefined {
  for (const [key, saved] of paused) if (key.endsWith(`:${id}`)) return saved;
  return undefined;
}

/** It was told its task before. */
function resumed({ signal }: Invocation, saved: string) {
  const { pendingAgentToolRuns } = fieldsOf(JSON.parse(saved));
  const paused = new Map(Object.entries(fieldsOf(pendingAgentToolRuns)) as [string, string][]);
  return { isTold: true, reader: true, signal, paused } as const;
}

/** It may have to wait for a person: then it is the same that goes on. */
function keep(inside: Invocation, id: string | undefined, run: Invocation): Invocation {
  if (id !== undefined) inside.callAt(id).inner = run;
  return run;
}

function callIn(place: Where | undefined): string | undefined {
  return isToolRun(place) ? place.id : undefined;
}

function isToolRun(place: Where | undefined): place is ToolRun {
  return place !== undefined && 'inside' in place;
}

/** A run that goes on from where it was is met before its options are read: the SDK looks for its tools. */
function begunIn(place: Where | undefined): Invocation | null {
  if (!isToolRun(place)) return null;
  return place.goesOn || place.own?.current === null ? place.own : null;
}

/** Models and filters are told no context: where a tool has run several agents, they are nobody's. */
function runIn(
  place: ToolRun,
  context: Context | undefined,
  open: (place: ToolRun) => Invocation,
): Invocation | undefined {
  if (context === undefined && place.more !== null) return undefined;
  place.own ??= open(place);
  if (place.goesOn) return place.own;
  place.context ??= context;
  if (context === undefined || place.context === context) return place.own;
  place.more ??= new Map();
  const known = place.more.get(context) ?? open(place);
  place.more.set(context, known);
  return known;
}
