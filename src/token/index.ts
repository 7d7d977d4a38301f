/** The door of this folder: other folders import from here and nowhere else. */
export { isWhole, looksLikeSecret } from './secret.ts';
export type { Presented } from './token-book.ts';
export { createTokens } from './tokens.ts';
