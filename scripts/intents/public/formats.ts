import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A sentence, and what its source calls what it wants. */
export interface Said {
  intent: string;
  text: string;
}

/** The files below a place, in an order that is the same everywhere. */
export function filesBelow(root: string, wanted: RegExp): string[] {
  return readdirSync(root)
    .sort()
    .flatMap((name) => {
      const path = join(root, name);
      if (statSync(path).isDirectory()) return filesBelow(path, wanted);
      return wanted.test(path) ? [path] : [];
    });
}

export function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** "## Intent", then "- a sentence with {Entity=its text}". Lines that are patterns or name an entity without text are left out. */
export function readLu(text: string): Said[] {
  let intent = '';
  return text.split('\n').flatMap((line) => {
    const heading = /^##\s+(\S+)/.exec(line);
    if (heading) intent = heading[1]!;
    else if (/^- [^^]/.test(line) && intent) return unfold(line.slice(2), intent);
    else if (/^[@$>#]/.test(line)) intent = '';
    return [];
  });
}

function unfold(line: string, intent: string): Said[] {
  let text = line;
  for (let depth = 0; depth < 4; depth++) text = text.replace(/\{[\w.]+\s*=\s*([^{}]*)\}/g, '$1');
  return /[{}[\]|]/.test(text) ? [] : [{ intent, text }];
}

/** "- intent: name", then "- a sentence with [a word](kind)" in a block. */
export function readRasa(text: string): Said[] {
  let intent = '';
  return text.split('\n').flatMap((line) => {
    const name = /^\s*- intent:\s*(\S+)/.exec(line)?.[1];
    if (name) intent = name;
    else if (/^- \w+:/.test(line)) intent = '';
    const sentence = /^\s{2,}- (?!intent:)(.+)$/.exec(line)?.[1];
    return sentence && intent
      ? [{ intent, text: sentence.replace(/\[([^\]]*)\]\s*[({][^)}]*[)}]/g, '$1') }]
      : [];
  });
}

/** Test files of Home Assistant: a list of sentences, then the name of the intent they all have. */
export function readHass(text: string): Said[] {
  let waiting: string[] = [];
  return text.split('\n').flatMap((line) => {
    if (/^\s*- sentences:/.test(line)) waiting = [];
    const sentence = /^\s{6}- (.+)$/.exec(line)?.[1];
    if (sentence) waiting.push(sentence.replace(/^(["'])(.*)\1$/, '$2'));
    const intent = /^\s+name: (Hass\w+)/.exec(line)?.[1];
    if (!intent) return [];
    const said = waiting.map((text) => ({ intent, text }));
    waiting = [];
    return said;
  });
}

/** Every way to read "[the|my] list". */
export function alternatives(pattern: string): string[] {
  const choice = /\[([^\]]*)\]/.exec(pattern);
  if (!choice) return [pattern.replace(/\s+/g, ' ').trim()];
  return choice[1]!.split('|').flatMap((word) => alternatives(pattern.replace(choice[0], word)));
}
