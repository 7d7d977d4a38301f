import { readFileSync } from 'node:fs';
import { CLASSES, type ModelClass } from '../../src/agent/model/model.ts';
import { readLabelled } from './labelled.ts';
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

/** The messages that the shipped model is trained on: templates and whole messages of this repository, filled in and roughened up by a fixed seed. */
export function generateExamples(): Example[] {
  return [...fromTemplates(), ...fromMessages()];
}

function fromTemplates(): Example[] {
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
const COPIES = 10;
function fromMessages(): Example[] {
  const random = seeded(99);
  const labels: readonly string[] = CLASSES;
  return readLabelled(readFileSync(new URL('./data/messages.tsv', import.meta.url), 'utf8')).flatMap(
    ({ label, message }) =>
      labels.includes(label)
        ? Array.from({ length: COPIES }, (_, i) => ({
            label: label as ModelClass,
            text: i === 0 ? message : distort(message, random),
          }))
        : [],
  );
}
