import { FOREIGN } from '../../src/assistant/language/words/foreign.ts';
import { isHeldOut } from './labelled.ts';
import { SOURCES } from './public/sources.ts';

// Makes labelled rows of the sentences in a clone of a public repository, for `npm run train:intents`. What they are and how they
// may be used: SOURCES.md. The sentences themselves stay out of this repository and out of the package.
// usage: tsx scripts/intents/convert.ts SOURCE CLONE > FILE.tsv
const [name = '', clone = ''] = process.argv.slice(2);
const source = SOURCES[name];
if (!source || !clone) {
  console.error(
    `usage: tsx scripts/intents/convert.ts SOURCE CLONE > FILE.tsv\nsources: ${Object.keys(SOURCES).join(', ')}`,
  );
  process.exit(2);
}

/** "I need to call mom" is a task here, whatever its source has been asked for by it, unless it names what others look after. */
const DUTY = /^(?:i|we) (?:(?:need|have|ought|got|have got) to|must|should|gotta)\b/;
const seen = new Set<string>();
const rows = source.sentences(clone).flatMap(({ intent, text }) => {
  const message = text.replace(/\s+/g, ' ').trim();
  const key = message.toLowerCase();
  if (!message || seen.has(key) || (source.measured && isHeldOut({ message }))) return [];
  seen.add(key);
  const label = source.label({ intent, text: key });
  if (label === 'GENERAL_CHAT' && DUTY.test(key) && !key.split(/\W+/).some((word) => FOREIGN.has(word)))
    return [];
  return label ? [[label, message, name, intent].join('\t')] : [];
});
console.log(['intent\tmessage\tsource\toriginal_label', ...rows].join('\n'));
console.error(`${rows.length} of ${seen.size} sentences of ${source.repository} (${source.licence})`);
