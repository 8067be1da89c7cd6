import type { InvocationIn } from './input-filter.ts';
import type { Invocation } from './invocation.ts';
import type { Places } from './places.ts';
import type { Context, InputFilter } from './shapes.ts';

/** A tool that runs: agents may be run inside of it, and nobody says so before they call. */
type ToolRun = {
  readonly inside: Invocation;
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
  /** All that follows is inside of a tool. */
  enter(context: Context): void;
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
  const openIn = ({ inside }: ToolRun) => open(inside, true);

  function current(context?: Context): Invocation | undefined {
    const place = places.here;
    return place === undefined || !isToolRun(place) ? place : runIn(place, context, openIn);
  }

  function around(): Invocation | undefined {
    const place = places.here;
    return place === undefined || !isToolRun(place) ? place : place.inside;
  }

  return {
    current,
    around,
    enter(context) {
      const inside = current(context);
      if (inside !== undefined) places.enter(toolRun(inside));
    },
    filter() {
      const outer = around();
      // Read before any run, and used in all of them.
      if (outer === undefined) return filterOf(() => current());
      outer.rest();
      const now = begunIn(places.here) ?? open(outer, false);
      places.enter(now);
      return filterOf(() => now);
    },
  };
}

function toolRun(inside: Invocation): ToolRun {
  return { inside, own: null, context: undefined, more: null };
}

function isToolRun(place: Where): place is ToolRun {
  return 'inside' in place;
}

/** A run that goes on from where it was is met before its options are read: the SDK looks for its tools. */
function begunIn(place: Where | undefined): Invocation | null {
  return place !== undefined && isToolRun(place) && place.own?.current === null ? place.own : null;
}

/** Models and filters are told no context: where a tool has run several agents, they are nobody's. */
function runIn(
  place: ToolRun,
  context: Context | undefined,
  open: (place: ToolRun) => Invocation,
): Invocation | undefined {
  if (context === undefined && place.more !== null) return undefined;
  place.own ??= open(place);
  place.context ??= context;
  if (context === undefined || place.context === context) return place.own;
  place.more ??= new Map();
  const known = place.more.get(context) ?? open(place);
  place.more.set(context, known);
  return known;
}
