import { readFileSync } from 'node:fs';
import { CLASSES, type ModelClass } from '../../src/assistant/model/model.ts';
import { readLabelled, type Labelled } from './labelled.ts';
import { distort } from './noise.ts';
import { expand, parseTemplates, pick, seeded, type TemplateFile } from './template.ts';

export interface Example {
  label: ModelClass;
  text: string;
}

const FILES: Record<ModelClass, readonly string[]> = {
  CREATE_TASK: ['create', 'create-wide'],
  LIST_TASKS: ['list', 'list-wide'],
  COMPLETE_TASK: ['complete', 'complete-wide'],
  UPDATE_TASK: ['update', 'update-wide'],
  DELETE_TASK: ['delete', 'delete-wide'],
  GENERAL_CHAT: [
    'chat-talk',
    'chat-questions',
    'chat-commands',
    'chat-near',
    'chat-life',
    'chat-dialogue',
    'chat-wide',
    'chat-long',
    'chat-domains',
  ],
};
const PER_FILE: Record<'task' | 'chat', number> = { task: 3000, chat: 5500 };

function load(name: string): TemplateFile {
  return parseTemplates(readFileSync(new URL(`./data/${name}.txt`, import.meta.url), 'utf8'));
}

/** The messages of this repository that the shipped model is trained on: templates and whole messages, filled in and roughened up by a fixed seed. */
export function generateExamples(): Example[] {
  return [...fromTemplates(), ...fromMessages(ownMessages())];
}

export function ownMessages(): Labelled[] {
  return readLabelled(readFileSync(new URL('./data/messages.tsv', import.meta.url), 'utf8'));
}

export function fromTemplates(): Example[] {
  const common = load('slots').slots;
  return CLASSES.flatMap((label, index) =>
    FILES[label].flatMap((name, part) => {
      const { templates, slots } = load(name);
      const random = seeded(1000 * index + part + 1);
      const all = new Map([...common, ...slots]);
      return Array.from({ length: PER_FILE[label === 'GENERAL_CHAT' ? 'chat' : 'task'] }, (_, i) => {
        const template = i < templates.length ? templates[i]! : pick(templates, random);
        return { label, text: distort(expand(template, all, random), random) };
      });
    }),
  );
}

/** Whole messages, written for this repository: each as it is and in some other hands. */
const COPIES = 20;
export function fromMessages(rows: readonly Labelled[]): Example[] {
  return inManyHands(rows, 99, () => COPIES);
}

/** Messages of public sources: the few that are about tasks count more than the many that are not. */
const PUBLIC_COPIES = { task: 8, chat: 1 };
export function fromLabelled(rows: readonly Labelled[]): Example[] {
  return inManyHands(rows, 4242, ({ label }) => PUBLIC_COPIES[label === 'GENERAL_CHAT' ? 'chat' : 'task']);
}

function inManyHands(rows: readonly Labelled[], seed: number, copies: (row: Labelled) => number): Example[] {
  const random = seeded(seed);
  return rows.flatMap((row) =>
    isClass(row.label)
      ? Array.from({ length: copies(row) }, (_, i) => ({
          label: row.label as ModelClass,
          text: i === 0 ? row.message : distort(row.message, random),
        }))
      : [],
  );
}

/** Answers and bare nouns are the grammar's alone. */
function isClass(label: string): label is ModelClass {
  return (CLASSES as readonly string[]).includes(label);
}
