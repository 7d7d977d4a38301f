import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const WEB = fileURLToPath(new URL('../web/src', import.meta.url));

/** Imports go down, never up, never sideways. */
const LAYER: Record<string, number> = {
  contract: 0,
  lib: 1,
  config: 1,
  db: 1,
  upstream: 2,
  catalog: 2,
  activity: 2,
  tasks: 2,
  approval: 2,
  token: 2,
  call: 3,
  agent: 4,
  observe: 4,
  mcp: 5,
  http: 5,
};
/** The CLI speaks the REST contract, so it needs nothing else. */
const NARROW: Record<string, string[]> = { cli: ['contract', 'lib'] };
const ROOTS = ['main.ts', 'app.ts', 'app-parts.ts'];
/** What each command starts; on top of everything, like the composition root that it uses. */
const TOP = 'start';
/** `lib` is below its neighbours: helpers without domain may be used anywhere above the contract. */
const MAY_ALSO: Record<string, string[]> = { config: ['lib'], db: ['lib'] };

function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return /\.tsx?$/.test(path) && !path.endsWith('.test.ts') ? [path] : [];
  });
}

function folderOf(path: string): string {
  const parts = relative(SRC, path).split('/');
  return parts.length > 1 ? parts[0]! : '';
}

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

function importsOf(path: string): { local: Import[]; packages: string[] } {
  const text = readFileSync(path, 'utf8');
  const local: Import[] = [];
  const packages: string[] = [];
  const pattern =
    /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g;
  for (const match of text.matchAll(pattern)) {
    const target = match[3] ?? match[4]!;
    if (target.startsWith('.'))
      local.push({ from: path, to: resolve(dirname(path), target), typeOnly: Boolean(match[2]) });
    else packages.push(target);
  }
  return { local, packages };
}

const files = filesBelow(SRC);

describe('architecture', () => {
  test('every folder has a place in the table', () => {
    const folders = new Set(files.map(folderOf).filter(Boolean));
    expect(
      [...folders].filter((folder) => !(folder in LAYER) && !(folder in NARROW) && folder !== TOP),
    ).toEqual([]);
    expect(
      files
        .filter((path) => folderOf(path) === '')
        .map((path) => relative(SRC, path))
        .filter((name) => !ROOTS.includes(name)),
    ).toEqual([]);
  });

  test('imports go down, never up, never sideways', () => {
    const wrong: string[] = [];
    for (const { from, to } of files.flatMap((path) => importsOf(path).local)) {
      const [source, target] = [folderOf(from), folderOf(to)];
      if (source === '' || source === TOP || source === target) continue;
      const allowed =
        source in NARROW
          ? NARROW[source]!.includes(target)
          : target in LAYER && (LAYER[target]! < LAYER[source]! || (MAY_ALSO[source] ?? []).includes(target));
      if (!allowed) wrong.push(`${relative(SRC, from)} → ${relative(SRC, to)}`);
    }
    expect(wrong).toEqual([]);
  });

  test('the contract imports zod and nothing else', () => {
    const foreign = files
      .filter((path) => folderOf(path) === 'contract')
      .flatMap((path) => importsOf(path).packages);
    expect([...new Set(foreign)]).toEqual(['zod']);
  });

  test('one road: only call/ and the composition root know the dispatcher', () => {
    const users = files
      .flatMap((path) => importsOf(path).local)
      .filter(({ to }) => relative(SRC, to) === 'upstream/dispatch.ts')
      .map(({ from }) => folderOf(from) || relative(SRC, from))
      .filter((user) => user !== 'upstream');
    expect([...new Set(users)].sort()).toEqual(['app.ts', 'call']);
  });

  test('one road: tools/call is sent to an upstream in one place', () => {
    const senders = files
      .filter((path) => !['mcp', 'cli', 'contract', 'tasks'].includes(folderOf(path)))
      .filter((path) => /['"`]tools\/call['"`]|[cC]lient\.callTool\(/.test(readFileSync(path, 'utf8')))
      .map((path) => relative(SRC, path));
    expect(senders.filter((path) => !path.startsWith('upstream/'))).toEqual([]);
    expect(senders.length).toBeLessThanOrEqual(1);
  });

  test('one road: only upstream/ speaks the client side of the protocol', () => {
    const speakers = files
      .filter((path) =>
        importsOf(path).packages.some((name) => name.startsWith('@modelcontextprotocol/client')),
      )
      .map(folderOf);
    expect([...new Set(speakers)].filter((folder) => folder !== 'upstream')).toEqual([]);
  });

  test('the CLI never starts a process of its own or opens the database', () => {
    const risky = files
      .filter((path) => folderOf(path) === 'cli')
      .flatMap((path) => importsOf(path).packages.map((name) => `${relative(SRC, path)} → ${name}`))
      .filter((line) => /child_process|sqlite|kysely|@modelcontextprotocol/.test(line));
    expect(risky).toEqual([]);
  });
});

/**
 * React calls what an effect returns when the effect ends. The value of a browser's function may be nothing in one version and a promise
 * in the next, and the types do not say so.
 */
describe('effects of the web UI return nothing, or a function that is seen to be one', () => {
  const effects = filesBelow(WEB).flatMap((path) =>
    effectsOf(readFileSync(path, 'utf8')).map((body) => ({ path: relative(WEB, path), body })),
  );

  test('there are some', () => expect(effects.length).toBeGreaterThan(10));

  test('none returns the value of a call', () => {
    const wrong = effects.filter(({ body }) => !returnsCleanUp(body));
    expect(wrong).toEqual([]);
  });

  test('the mistake is found in each of its forms', () => {
    const returned = (text: string) => effectsOf(text).map(returnsCleanUp);
    expect(returned('useEffect(() => end.current?.scrollIntoView(), [last]);')).toEqual([false]);
    expect(returned('useLayoutEffect(() => { return box.focus(); }, []);')).toEqual([false]);
    expect(returned('useEffect(async () => { await load(); }, []);')).toEqual([false]);
    expect(returned('useEffect(startLive, []);')).toEqual([false]);
    expect(returned('useEffect(() => { const stop = start(); return stop; }, []);')).toEqual([true]);
    expect(returned('useEffect(() => () => clearTimeout(timer), []);')).toEqual([true]);
    expect(returned('useEffect(() => { if (x) return; end(); }, [x]);')).toEqual([true]);
  });
});

/** What stands between the brackets of each effect. */
function effectsOf(text: string): string[] {
  return [...text.matchAll(/\buse(?:Layout|Insertion)?Effect\(/g)].map(({ index, 0: call }) => {
    const start = index + call.length;
    let depth = 1;
    let end = start;
    for (; depth > 0 && end < text.length; end++) {
      if (text[end] === '(') depth++;
      if (text[end] === ')') depth--;
    }
    return text.slice(start, end - 1).trim();
  });
}

function returnsCleanUp(effect: string): boolean {
  if (effect.startsWith('() => () =>')) return true;
  if (!effect.startsWith('() => {')) return false;
  const returned = [...effect.matchAll(/\breturn\b\s*([^;]*);/g)].map((match) => match[1]!);
  return returned.every((value) => /^(|undefined|\(\) =>[^]*|\w+)$/.test(value));
}
