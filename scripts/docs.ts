// Writes the reference pages from the contract and the command tree: npm run docs
import { mkdirSync, writeFileSync } from 'node:fs';
import { PAGES } from './pages.ts';

const folder = new URL('../docs/reference/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, page] of Object.entries(PAGES)) writeFileSync(new URL(name, folder), page());
