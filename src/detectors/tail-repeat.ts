import { type DescribedKind, described, type OptionSpecs } from '../core/options.ts';
import type { DetectorKind } from '../core/preset.ts';
import type { AgentEvent, Detector, Json } from '../core/types.ts';

export type TailRepeatOptions = {
  /** Words of the longest block that is looked for. */
  readonly longest: number;
  /** Fewer repeats are no repetition. */
  readonly repeats: number;
  /** The repeats must make up so many words. */
  readonly words: number;
  /** Words at the end of the text that are looked at. */
  readonly window: number;
};

/** Characters read for each word of the window: no text is so long that its end takes time to find. */
export const CHARACTERS_A_WORD = 64;

/** A block of words said again and again at the end of a turn. */
export const tailRepeat: DetectorKind<'tail-repeat', TailRepeatOptions> = {
  kind: 'tail-repeat',
  defaults: { longest: 16, repeats: 4, words: 12, window: 400 },
  create(name, options, { floor }): Detector<null> {
    return {
      name,
      events: ['turn'],
      needs: [],
      initial: null,
      shape: null,
      maxCount: options.window,
      observe(event: AgentEvent): Json {
        return event.type === 'turn' && typeof event.text === 'string' ? blockAt(event.text, options) : null;
      },
      reduce(state, { call }, fact) {
        if (fact === null) return null;
        const [count, words] = fact as readonly [number, number];
        if (count < floor) return null;
        const evidence = call > 0 ? [call] : [];
        return [state, { detector: name, subject: 'text', count, evidence, facts: { words } }];
      },
    };
  },
};

/** How often a block stands at the end, and its words: the one that covers most, the shortest of equals; null = none. */
function blockAt(
  text: string,
  { longest, repeats, words, window }: TailRepeatOptions,
): readonly [repeats: number, words: number] | null {
  const end = text.trimEnd().slice(-window * CHARACTERS_A_WORD);
  const said = (end.match(/\S+/g) ?? []).slice(-window);
  let best: readonly [number, number] | null = null;
  let most = words - 1;
  for (let block = 1; block <= Math.min(longest, said.length); block++) {
    const count = repeatsOf(said, block);
    if (count < repeats || count * block <= most) continue;
    most = count * block;
    best = [count, block];
  }
  return best;
}

function repeatsOf(said: readonly string[], block: number): number {
  let same = 0;
  let at = said.length - 1 - block;
  while (at >= 0 && said[at] === said[at + block]) {
    same += 1;
    at -= 1;
  }
  return Math.floor(same / block) + 1;
}

/** With help and checks, for those who read presets from JSON. */
export const tailRepeatDescribed: DescribedKind = /* @__PURE__ */ described(tailRepeat, {
  about: 'A block of words said again and again at the end of a turn.',
  options: {
    longest: { type: 'integer', min: 1, max: 64, about: 'How many words the longest block has.' },
    repeats: { type: 'integer', min: 2, max: 1000, about: 'How often a block must stand there.' },
    words: { type: 'integer', min: 2, max: 1000, about: 'How many words the repeats must make up.' },
    window: {
      type: 'integer',
      min: 2,
      max: 1000,
      about: 'How many words at the end of the text are looked at.',
    },
  } satisfies OptionSpecs<TailRepeatOptions>,
});
