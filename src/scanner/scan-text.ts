import { decodedIn } from './decode.ts';
import type { OwnNames } from './look-at-piece.ts';
import type { Where } from './mark-sentence.ts';
import { AT_ONCE, markText } from './mark-text.ts';
import { plainOf, type Hidden } from './plain-text.ts';
import { createScale, isEnough, PASSAGE, rulesIn } from './weigh.ts';
import { WHY } from './why.ts';

export interface Signal {
  rule: string;
  /** 2: alone a reason to look; 1: together with another. */
  weight: 1 | 2;
  why: string;
  /** The passage, where it is not the whole text. */
  passage?: string;
}

const signal = (rule: string, weight: 1 | 2, why: string): Signal => ({ rule, weight, why });

const MOST_RULES = 4;
/** Most texts of a definition are names and types, too short to say anything. */
const WORD = /^[\w.-]{1,11}$/;

/**
 * Everything that is wrong with one text. Decodes what is encoded once, and looks at that too. Where the text is long it comes up for air
 * between its steps, so that whoever drives it can let others go first.
 */
export function* scanText(text: string, own: OwnNames, where: Where, depth = 0): Generator<void, Signal[]> {
  if (WORD.test(text)) return [];
  const { shown, hidden } = plainOf(text);
  const signals = hiddenSignals(hidden);
  signals.push(...(yield* weighed(shown, own, where)));
  if (depth > 0) return signals;
  for (const decoded of decodedIn(text)) {
    const inside = yield* scanText(decoded, own, where, 1);
    signals.push(signal('encoded', inside.length > 0 ? 2 : 1, 'holds encoded text'), ...inside);
  }
  return signals;
}

function hiddenSignals(hidden: Hidden): Signal[] {
  const found: Signal[] = [];
  if (hidden.tags > 0)
    found.push(signal('hidden-text', 2, `${hidden.tags} invisible characters that a model reads as letters`));
  if (hidden.bidi > 0)
    found.push(signal('turned-text', 2, 'characters that turn the direction of text around'));
  if (hidden.zeroWidth > 1)
    found.push(signal('zero-width', 2, `${hidden.zeroWidth} characters without width`));
  if (hidden.control > 0)
    found.push(signal('control-characters', 2, 'control characters, such as terminal escapes'));
  if (hidden.lookAlike > 1)
    found.push(
      signal('look-alike', 2, `${hidden.lookAlike} words with letters of another alphabet that look alike`),
    );
  if (hidden.buried) found.push(signal('buried', 2, 'text far away from what is seen of it'));
  return found;
}

/** The passage that weighs most, if it is enough. */
function* weighed(shown: string, own: OwnNames, where: Where): Generator<void, Signal[]> {
  const sentences = yield* markText(shown, own, where);
  const scale = createScale();
  let [best, at] = [-Infinity, 0];
  for (let i = 0; i < sentences.length; i++) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    scale.add(sentences[i]!.features);
    if (i >= PASSAGE) scale.remove(sentences[i - PASSAGE]!.features);
    if (scale.sum() > best) [best, at] = [scale.sum(), i];
  }
  if (!isEnough(best)) return [];
  const passage = sentences.slice(Math.max(0, at - PASSAGE + 1), at + 1);
  const words = passage.map((sentence) => sentence.words).join(' ');
  const rules = rulesIn(new Set(passage.flatMap(({ features }) => features)));
  return rules.slice(0, MOST_RULES).map((rule) => ({ ...signal(rule, 2, WHY[rule]), passage: words }));
}
