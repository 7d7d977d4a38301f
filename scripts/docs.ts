// Writes the reference pages from the contract and the command tree: npm run docs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { conformancePage } from '../test/conformance/page.ts';
import { withClients } from './client-table.ts';
import { PAGES, withWalk } from './pages.ts';

const folder = new URL('../docs/reference/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, page] of Object.entries(PAGES)) writeFileSync(new URL(name, folder), await page());
const architecture = new URL('../ARCHITECTURE.md', import.meta.url);
writeFileSync(architecture, withWalk(readFileSync(architecture, 'utf8')));
writeFileSync(new URL('../docs/conformance.md', import.meta.url), conformancePage());
const clients = new URL('../docs/guides/clients.md', import.meta.url);
writeFileSync(clients, withClients(readFileSync(clients, 'utf8')));
