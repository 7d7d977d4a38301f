import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildProgram } from './program.ts';
import { referencePage } from './reference.ts';

test('docs/reference/cli.md is up to date (else: npx tsx scripts/docs-cli.ts)', () => {
  const page = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
  expect(page).toBe(referencePage(buildProgram(() => () => Promise.resolve(), '')));
});
