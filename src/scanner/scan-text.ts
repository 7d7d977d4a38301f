import { annotateText, SENTENCES_PER_STEP, type TextContext } from './annotate-text.ts';
import { RULE_FINDINGS } from './compositions.ts';
import { decodeEmbedded, isCommand } from './decode.ts';
import { ORDER_FINDINGS } from './orders/order-rules.ts';
import { orderShapes } from './orders/order-shapes.ts';
import { OrderReader } from './orders/read-orders.ts';
import { toPlainText, type HiddenCharacters } from './plain-text.ts';
import { createPassageScore, isSuspicious, PASSAGE, strongestRules } from './score.ts';

export interface Signal {
  rule: string;
  /** 2: suspicious alone; 1: only together with another. */
  weight: 1 | 2;
  why: string;
  /** The passage, where it is not the whole text. */
  passage?: string;
}

const signal = (rule: string, weight: 1 | 2, why: string): Signal => ({ rule, weight, why });

const MOST_RULES = 4;
/** Most texts of a definition are names and types, too short to be an instruction. */
const WORD = /^[\w.-]{1,11}$/;

/** A text with the reader of the orders in it, which goes on from one text of a definition to the next. */
export interface ScanContext extends TextContext {
  orders: OrderReader;
  /** A tool has answered it: it may hold anything, but nobody has reason to give the model orders. */
  isResult: boolean;
}

/** Whether a text holds nothing to find: a word that goes on no order. */
export const isHarmless = (text: string, orders: OrderReader): boolean => !orders.isOpen && WORD.test(text);

/** All signals of one text and of the text encoded in it, one level deep. Yields between its steps, so that other work can run. */
export function* scanText(text: string, context: ScanContext): Generator<void, Signal[]> {
  if (WORD.test(text)) {
    // A word alone may go on an order that another field began.
    context.orders.read([text.toLowerCase()]);
    return orderSignals(context.orders);
  }
  const signals = yield* scanDecoded(text, context);
  for (const decoded of decodeEmbedded(text)) {
    const orders = new OrderReader(context.isResult);
    const inside = WORD.test(decoded) ? [] : yield* scanDecoded(decoded, { ...context, orders });
    const weight = inside.length > 0 || isCommand(decoded) ? 2 : 1;
    signals.push(signal('encoded', weight, 'contains encoded text'), ...inside);
  }
  return signals;
}

function* scanDecoded(text: string, context: ScanContext): Generator<void, Signal[]> {
  const { shown, hidden } = toPlainText(text);
  const signals = hiddenSignals(hidden, context.isResult ? 1 : 2);
  signals.push(...(yield* passageSignals(shown, context)));
  for (const rule of orderShapes(shown)) context.orders.found.add(rule);
  signals.push(...orderSignals(context.orders));
  return signals;
}

/** The orders found since the last time. */
function orderSignals(orders: OrderReader): Signal[] {
  if (orders.found.size === 0) return [];
  const signals = [...orders.found].map((rule) => signal(rule, 2, ORDER_FINDINGS[rule]));
  orders.found.clear();
  return signals;
}

/** Answers bring control characters and empty ones along from pages, mails and terminals: there they count only beside something else. */
function hiddenSignals(hidden: HiddenCharacters, usual: 1 | 2): Signal[] {
  const found: Signal[] = [];
  if (hidden.tags > 0)
    found.push(signal('hidden-text', 2, `${hidden.tags} invisible characters that a model reads as letters`));
  if (hidden.bidi > 0)
    found.push(signal('turned-text', usual, 'characters that reverse the direction of the text'));
  if (hidden.zeroWidth > 1)
    found.push(signal('zero-width', usual, `${hidden.zeroWidth} characters without width`));
  if (hidden.control > 0)
    found.push(signal('control-characters', usual, 'control characters, such as terminal escapes'));
  if (hidden.lookAlike > 1)
    found.push(
      signal(
        'look-alike',
        usual,
        `${hidden.lookAlike} words with letters of another alphabet that look alike`,
      ),
    );
  if (hidden.buried)
    found.push(signal('buried', usual, 'text hidden far below or far to the right of the visible text'));
  return found;
}

/** The passage with the highest score, where it is suspicious. */
function* passageSignals(shown: string, context: ScanContext): Generator<void, Signal[]> {
  const sentences = yield* annotateText(shown, context);
  const score = createPassageScore();
  let [best, at] = [-Infinity, 0];
  for (let i = 0; i < sentences.length; i++) {
    if (i % SENTENCES_PER_STEP === SENTENCES_PER_STEP - 1) yield;
    score.add(sentences[i]!.features);
    if (i >= PASSAGE) score.remove(sentences[i - PASSAGE]!.features);
    if (score.sum() > best) [best, at] = [score.sum(), i];
  }
  if (!isSuspicious(best, context.isResult)) return [];
  const passage = sentences.slice(Math.max(0, at - PASSAGE + 1), at + 1);
  const words = passage.map((sentence) => sentence.words).join(' ');
  const rules = strongestRules(new Set(passage.flatMap(({ features }) => features)));
  return rules
    .slice(0, MOST_RULES)
    .map((rule) => ({ ...signal(rule, 2, RULE_FINDINGS[rule]), passage: words }));
}
