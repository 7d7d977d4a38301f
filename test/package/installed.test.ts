import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const dependenciesOf = (folder: string) =>
  Object.keys(
    (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies?: object })
      .dependencies ?? {},
  );

/** The built program with its dependencies alone, as an installation has it: no package of the tests is in reach. */
const home = mkdtempSync(join(tmpdir(), 'mcpproxy-installed-'));
afterAll(() => rmSync(home, { recursive: true }));
beforeAll(() => {
  cpSync(join(ROOT, 'dist'), join(home, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map') && !path.endsWith('meta.json'),
  });
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'));
  install(dependenciesOf(ROOT));
});

function install(names: string[]): void {
  for (const name of names) {
    const folder = join(ROOT, 'node_modules', name);
    cpSync(folder, join(home, 'node_modules', name), { recursive: true });
    install(dependenciesOf(folder));
  }
}

describe('the installed program', () => {
  test('checks the arguments of a call with the schema of the tool', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        join(home, 'dist/main.js'),
        'call',
        'tool-write',
        'tasks:add_task',
        '--args',
        '{"description": 5}',
        '--data-dir',
        join(home, 'data'),
        '-o',
        'json',
      ],
      { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home } },
    );
    expect(stderr).toContain('"code":"INVALID_TOOL_ARGUMENTS"');
    expect(status).toBe(2);
  });

  test('contains the packages that are loaded at their first use', () => {
    const parts = JSON.parse(readFileSync(join(ROOT, 'dist/meta.json'), 'utf8')) as Record<
      string,
      { sources: string[] }
    >;
    const sources = Object.values(parts).flatMap((part) => part.sources);
    for (const file of ['ajv/dist/2020.js', 'ajv/dist/2019.js', 'ajv/dist/ajv.js', 're2js/'])
      expect(sources.filter((path) => path.includes(`node_modules/${file}`))).not.toEqual([]);
  });
});
