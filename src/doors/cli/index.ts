/** The door of this folder: `run`, and the types of what each command needs behind it. */
export type * from './client-runtime.ts';
export { currentFolder, processIo } from './io.ts';
export { run } from './run.ts';
export type * from './runtime.ts';
