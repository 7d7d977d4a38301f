import { pick, type Random } from './template.ts';

/** How people type: each in its own way, so the model sees every template in many hands. */
const SHORT: Array<[RegExp, string]> = [
  [/\byou\b/gi, 'u'],
  [/\bplease\b/gi, 'pls'],
  [/\btomorrow\b/gi, 'tmrw'],
  [/\bto\b/gi, '2'],
  [/\bthanks\b/gi, 'thx'],
  [/\byour\b/gi, 'ur'],
  [/\bfor\b/gi, '4'],
  [/\bare\b/gi, 'r'],
  [/\babout\b/gi, 'abt'],
];
const LONG: Array<[RegExp, string]> = [
  [/\bI'd\b/g, 'I would'],
  [/\bwhat's\b/gi, 'what is'],
  [/\bdon't\b/gi, 'do not'],
  [/\bI'm\b/g, 'I am'],
  [/\bcan't\b/gi, 'cannot'],
  [/\bI've\b/g, 'I have'],
];
const BEFORE = [
  'hey, ',
  'ok ',
  'so ',
  'um ',
  'hi, ',
  'well, ',
  'actually ',
  'and ',
  'also ',
  'oh, ',
  'alright, ',
  'hey there, ',
  'ok so ',
  'yeah ',
  'good morning, ',
  'uh ',
];
const AFTER = [
  ' please',
  ' thanks',
  ' thank you',
  ', please',
  ' pls',
  ' ok?',
  ' for me',
  ' asap',
  ' mate',
  ' when you can',
  '!',
  '.',
  '?',
  ', cheers',
  ' lol',
  ' 🙏',
  ' 🙂',
  ' now',
];

export function distort(text: string, random: Random): string {
  let result = text;
  if (random() < 0.12) result = pick(BEFORE, random) + result;
  if (random() < 0.12) result += pick(AFTER, random);
  if (random() < 0.08) result = replaceSome(result, SHORT, random);
  if (random() < 0.15) result = replaceSome(result, LONG, random);
  if (random() < 0.1) result = result.replace(/'/g, '');
  if (random() < 0.05) result = slip(result, random);
  if (random() < 0.4) result = result.replace(/[,.!]/g, '');
  if (random() < 0.2) result = result[0]!.toUpperCase() + result.slice(1);
  return random() < 0.5 ? result.toLowerCase() : result;
}

function replaceSome(text: string, table: ReadonlyArray<[RegExp, string]>, random: Random): string {
  return table.reduce((result, [from, to]) => (random() < 0.6 ? result.replace(from, to) : result), text);
}

/** One slip of the finger in one longer word. */
function slip(text: string, random: Random): string {
  const words = text.split(' ');
  const at = Math.floor(random() * words.length);
  const word = words[at]!;
  if (word.length < 5) return text;
  const i = 1 + Math.floor(random() * (word.length - 2));
  const swapped = word.slice(0, i) + word[i + 1] + word[i]! + word.slice(i + 2);
  words[at] = random() < 0.5 ? swapped : word.slice(0, i) + word.slice(i + 1);
  return words.join(' ');
}
