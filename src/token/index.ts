/** The door of this folder: other folders import from here and nowhere else. */
export type { EndedToken, TokenLookup } from './token-index.ts';
export { createTokens, type Tokens } from './tokens.ts';
