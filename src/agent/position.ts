const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const NUMBERS = 'one two three four five six seven eight nine ten'.split(' ');
/** What may stand around a number that is a place in a list. */
const AROUND = new Set(
  'the a task tasks item number no nr one please on in of my list it is that and'.split(' '),
);

/** The place in a list that a text names, and names alone: "2", "#2", "the second one"; not "first aid kit". */
export function positionIn(text: string): number | undefined {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const places = words.map(placeOf);
  const named = places.filter((place) => place !== undefined);
  if (named.length === 1 && words.every((word, i) => places[i] !== undefined || AROUND.has(word)))
    return named[0];
  // "one" is a number only where it stands alone: "the second one" names no first.
  const rest = words.filter((word) => word !== 'one');
  return rest.length < words.length && rest.length > 0 ? positionIn(rest.join(' ')) : undefined;
}

function placeOf(word: string): number | undefined {
  const digits = /^(\d{1,4})(?:st|nd|rd|th)?$/.exec(word)?.[1];
  if (digits !== undefined) return Number(digits) >= 1 ? Number(digits) : undefined;
  const ordinal = ORDINALS.indexOf(word);
  if (ordinal >= 0) return ordinal + 1;
  const number = NUMBERS.indexOf(word);
  return number >= 0 ? number + 1 : undefined;
}
