/** The door of this folder: other folders import from here and nowhere else. */
export type { Assistant } from './assistant.ts';

/** Grammar and model are large: they are loaded for the first message. */
export async function loadAssistant() {
  return (await import('./open-assistant.ts')).openAssistant;
}
