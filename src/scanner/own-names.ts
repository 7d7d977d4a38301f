import { id, type Concept } from './concepts.ts';
import { specificWordsOf, wordsOf, type OwnNames } from './read-piece.ts';

/** A tool named after secrets may mention them. */
const ABOUT: Array<[Concept, Set<string>]> = (
  [
    ['ownSecret', 'secret secrets vault password passwords credential credentials key keys token tokens ssh keychain keygen env cookie cookies auth oauth login pat'],
    ['ownShell', 'shell bash terminal command commands exec execute run cron script process sandbox'],
    ['ownDetect', 'scan detect detector guard moderation classify label redteam injection phishing siem sanitize lint analyze analyse moderate attack threat guardrail poisoning evaluate'],
    ['ownSend', 'send mail email message post upload webhook notify share forward transfer publish reply'],
    ['ownContext', 'memory context session conversation conversations history prompt prompts handoff thinking thought chat recall remember onboarding transcript log'],
  ] as const
).map(([concept, words]) => [concept, new Set(words.split(' '))]); // prettier-ignore

/** Also inside a word, as in the name of a product. */
const SECRETS = /password|secret|credential|vault/;

const MAX_ARGUMENTS = 500;

export function ownNamesOf(definition: unknown): OwnNames {
  const { name, inputSchema } = (definition ?? {}) as {
    name?: unknown;
    inputSchema?: { properties?: unknown };
  };
  const tool = typeof name === 'string' ? name.slice(0, 200) : '';
  const properties = inputSchema?.properties;
  const names =
    typeof properties === 'object' && properties !== null
      ? Object.keys(properties).slice(0, MAX_ARGUMENTS)
      : [];
  const words = wordsOf(tool);
  const about = ABOUT.filter(([, about]) => words.some((word) => about.has(word))).map(([concept]) =>
    id(concept),
  );
  if (SECRETS.test(tool.toLowerCase())) about.push(id('ownSecret'));
  return { tool, arguments: new Set(names), words: specificWordsOf(tool), about };
}
