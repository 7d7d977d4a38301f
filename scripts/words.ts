/**
 * Finds restricted words in the docs, messages and comments.
 *
 *   npm run words
 *   npm run words -- --sample 20      prints sentences and messages picked at random, to be read by a person
 */
import { parseArgs } from 'node:util';
import { RESTRICTED } from './words/restricted.ts';
import { readTexts, type Text } from './words/texts.ts';

const { values } = parseArgs({ options: { sample: { type: 'string' } } });
const texts = readTexts(process.cwd());
if (values.sample === undefined) report(texts);
else for (const kind of ['sentence', 'message'] as const) printSample(kind, Number(values.sample));

function report(all: readonly Text[]): void {
  const found = all.flatMap((text) =>
    RESTRICTED.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(text.text);
      return match ? [`${text.file}:${text.line}: "${match[0]}" → ${instead}`] : [];
    }),
  );
  for (const line of found) console.log(line);
  console.log(`restricted words: ${found.length} in ${all.length} texts`);
  if (found.length > 0) process.exitCode = 1;
}

/** Neither SQL nor an example of a command. */
function isProse(text: string): boolean {
  return (
    /\w+ \w+ \w+/.test(text) && !/^\s*mcpproxy |\b(SELECT|FROM|WHERE|INSERT|UPDATE|CREATE|ALTER)\b/.test(text)
  );
}

function printSample(kind: Text['kind'], count: number): void {
  const candidates = texts.filter((text) => text.kind === kind && isProse(text.text));
  for (let left = count; left > 0 && candidates.length > 0; left--) {
    const [text] = candidates.splice(Math.floor(Math.random() * candidates.length), 1);
    console.log(`${text!.file}:${text!.line}\n    ${text!.text.trim()}`);
  }
}
