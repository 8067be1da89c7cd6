/** Where reading a JSON text has come to. */
export type JsonPlace = {
  /** Null = nothing but white space yet. */
  isJson: boolean | null;
  inString: boolean;
  /** The next character is part of an escape. */
  isEscape: boolean;
  items: number;
};

export function jsonStart(): JsonPlace {
  return { isJson: null, inString: false, isEscape: false, items: 0 };
}

/**
 * The next piece of a text that has to be JSON, with a number behind each comma of its structure: equal rows of a list that was asked for
 * are healthy, and so none of them is the same as another. What repeats itself without a comma still does: words in a string, white space.
 */
export function numbered(place: JsonPlace, piece: string): string {
  if (place.isJson === null) {
    const first = piece.trimStart()[0];
    if (first !== undefined) place.isJson = first === '{' || first === '[';
  }
  if (place.isJson !== true) return piece;
  let all = '';
  let from = 0;
  for (let index = 0; index < piece.length; index++) {
    const character = piece[index];
    if (place.isEscape) place.isEscape = false;
    else if (character === '"') place.inString = !place.inString;
    else if (place.inString) place.isEscape = character === '\\';
    else if (character === ',') {
      place.items += 1;
      all += `${piece.slice(from, index + 1)} ${place.items} `;
      from = index + 1;
    }
  }
  return from === 0 ? piece : all + piece.slice(from);
}
