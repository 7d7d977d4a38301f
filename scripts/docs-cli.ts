// Writes docs/reference/cli.md from the command tree: npx tsx scripts/docs-cli.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { buildProgram } from '../src/cli/program.ts';
import { referencePage } from '../src/cli/reference.ts';

const page = new URL('../docs/reference/cli.md', import.meta.url);
mkdirSync(new URL('.', page), { recursive: true });
writeFileSync(page, referencePage(buildProgram(() => () => Promise.resolve(), '')));
