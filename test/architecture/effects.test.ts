import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const WEB = fileURLToPath(new URL('../../web/src', import.meta.url));

function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return filesBelow(path);
    return /\.tsx?$/.test(path) && !path.endsWith('.test.ts') ? [path] : [];
  });
}

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
