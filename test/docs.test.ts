import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { withClients } from '../scripts/client-table.ts';
import { allSettings, PAGES, withWalk } from '../scripts/pages.ts';
import { ERRORS } from '../src/contract/errors.ts';
import { parseConfig } from '../src/config/parse.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function pagesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return pagesBelow(path);
    return name.endsWith('.md') ? [path] : [];
  });
}

const pages = [
  ...readdirSync(ROOT)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, name)),
  ...pagesBelow(join(ROOT, 'docs')),
  ...pagesBelow(join(ROOT, 'examples')),
];
const read = (path: string) => readFileSync(path, 'utf8');
const reference = (name: string) => read(join(ROOT, 'docs/reference', name));

describe('reference pages are what the code says (else: npm run docs)', () => {
  test.each(Object.keys(PAGES))('%s', async (name) => {
    expect(reference(name)).toBe(await PAGES[name]!());
  });
  test('the table of clients', () => {
    const text = read(join(ROOT, 'docs/guides/clients.md'));
    expect(withClients(text)).toBe(text);
  });
  test('ARCHITECTURE.md follows one call by file and line', () => {
    const text = read(join(ROOT, 'ARCHITECTURE.md'));
    expect(withWalk(text)).toBe(text);
  });
});

describe('the table of errors and its page', () => {
  const documented = [...reference('errors.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1]!);
  test('every code is documented', () => {
    expect(Object.keys(ERRORS).filter((code) => !documented.includes(code))).toEqual([]);
  });
  test('every documented code exists', () => {
    expect(documented.filter((code) => !(code in ERRORS))).toEqual([]);
  });
  test('every code is used by the program', () => {
    const sources = (dir: string): string =>
      readdirSync(dir)
        .map((name) => join(dir, name))
        .map((path) =>
          statSync(path).isDirectory()
            ? sources(path)
            : path.endsWith('.test.ts') || path.endsWith('contract/errors.ts')
              ? ''
              : read(path),
        )
        .join('\n');
    const text = sources(join(ROOT, 'src'));
    expect(Object.keys(ERRORS).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });
});

describe('links', () => {
  test.each(pages.map((path) => relative(ROOT, path)))('of %s lead somewhere', (page) => {
    const broken = [...read(join(ROOT, page)).matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(resolve(ROOT, dirname(page), link)));
    expect(broken).toEqual([]);
  });
  test.each(pages.map((path) => relative(ROOT, path)))('of %s name headings that exist', (page) => {
    const broken = [...read(join(ROOT, page)).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)]
      .filter(
        ([, link, heading]) => !headingsOf(resolve(ROOT, dirname(page), link!), page).includes(heading!),
      )
      .map(([text]) => text);
    expect(broken).toEqual([]);
  });
});

/** The anchors that GitHub gives to the headings of a page; a link without a path means the page itself. */
function headingsOf(target: string, page: string): string[] {
  const path = target.endsWith('.md') ? target : join(ROOT, page);
  return [...read(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('configuration examples', () => {
  const examples = pages.flatMap((path) =>
    [...read(path).matchAll(/```jsonc?\n([\s\S]*?)```/g)]
      .map((match) => match[1]!)
      .filter((text) => /"(intent_declaration|activity|call_timeout|listen)"\s*:/.test(text))
      .map((text) => [relative(ROOT, path), text] as const),
  );
  test('there are some', () => expect(examples.length).toBeGreaterThan(0));
  test.each(examples)('in %s are valid', (_, text) => {
    expect(() => parseConfig(text, 'example')).not.toThrow();
  });
});

describe('settings', () => {
  const settings = allSettings();
  test('all are listed', () => expect(settings.length).toBeGreaterThan(50));
  test('each has a description and an example other than its default', () => {
    const undocumented = settings
      .filter(
        ({ value }) =>
          !value.description?.trim() ||
          !value.examples?.length ||
          JSON.stringify(value.examples[0]) === JSON.stringify(value.default),
      )
      .map(({ name }) => name);
    expect(undocumented).toEqual([]);
  });
  test('the examples together are a valid configuration', () => {
    const proxy: Record<string, unknown> = {};
    const server: Record<string, unknown> = {};
    const remote = new Set(['url', 'headers', 'type', 'idle_timeout', 'oauth']);
    const isOfServer = new Set(settings.slice(settings.findIndex(({ name }) => name === 'command')));
    for (const setting of settings) {
      if (isOfServer.has(setting) && remote.has(setting.name)) continue;
      place(isOfServer.has(setting) ? server : proxy, setting.name, setting.value.examples![0]);
    }
    const config = parseConfig(JSON.stringify({ ...proxy, mcpServers: { files: server } }), 'examples');
    expect(config.mcpServers.files).toMatchObject({ command: 'npx' });
    expect(config.mcpServers.files!.problem).toBeUndefined();
  });
});

/** Sets a value at a path such as `tools.<name>.enabled`. */
function place(target: Record<string, unknown>, path: string, value: unknown): void {
  const [key, ...rest] = path.split('.');
  if (rest.length === 0) target[key!] = value;
  else place((target[key!] ??= {}) as Record<string, unknown>, rest.join('.'), value);
}

test('the README has the two commands', () => {
  const readme = read(join(ROOT, 'README.md'));
  expect(readme).toContain('npm install && npm start');
  expect(readme).toContain('npm install && npm test');
});
