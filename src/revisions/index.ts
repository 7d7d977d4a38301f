/** The door of this folder: other folders import from here and nowhere else. */
export type { PolicyGuard } from './follow.ts';
export { openRevisions, type Revisions } from './open.ts';
