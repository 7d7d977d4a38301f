import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { titleOutcomes, formsOf } from '../test/fixtures/title-commands.ts';
import { visibleLine } from '../src/lib/visible-text.ts';
import { table } from './table.ts';

// Scores plain commands on a list that has exactly the title: every line of FILE is a title, and each is tried with every form.
// usage: npm run eval:titles -- FILE [--errors]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { errors: { type: 'boolean', default: false } },
});
const [file] = positionals;
if (!file) {
  console.error('usage: npm run eval:titles -- FILE [--errors]');
  process.exit(2);
}

const FORMS = formsOf();
const titles = readFileSync(file, 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .filter(Boolean);
let [right, tried] = [0, 0];
const rows = FORMS.map((form) => {
  const outcomes = titleOutcomes(form, titles);
  const wrong = outcomes.filter(({ isRight }) => !isRight);
  if (values.errors)
    for (const { message, got } of wrong) console.log(visibleLine(`${form.name}: ${message} → ${got}`));
  right += outcomes.length - wrong.length;
  tried += outcomes.length;
  return [form.name, `${outcomes.length - wrong.length} of ${outcomes.length}`];
});
console.log(table(['form', 'right'], rows, 1));
console.log(`\nall: ${right} of ${tried} (${((100 * right) / tried).toFixed(1)} %)`);
