import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixtures/start.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { startUpstreams, stopUpstreams } from '../../../test/fixtures/upstreams.ts';
import { createLog } from '../../lib/log.ts';
import { createServerMemory } from './server-memory.ts';

afterEach(stopUpstreams);

const open = (file = join(tempDir(), 'servers.json')) => ({
  file,
  memory: createServerMemory({ file, key: 'k', log: createLog('silent') }),
});

describe('the protocol of a server', () => {
  test('is remembered across restarts by its definition, which the file does not contain', () => {
    const { file, memory } = open();
    expect(memory.recall('node a.js --token sesame')).toEqual({});
    memory.keep('node a.js --token sesame', { era: 'legacy', sse: false });
    memory.keep('https://b', { era: '2026-07-28' });
    const again = open(file).memory;
    expect(again.recall('node a.js --token sesame')).toEqual({ era: 'legacy' });
    expect(again.recall('https://b')).toEqual({ era: '2026-07-28' });
    expect(again.recall('node a.js --token other')).toEqual({});
    expect(readFileSync(file, 'utf8')).not.toContain('sesame');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each(['', 'null', '[1]', '{"x": 5, "y": {"era": "1999"}}', '{'])(
    'a file with %j is no obstacle',
    (text) => {
      const { file, memory } = open();
      writeFileSync(file, text);
      expect(memory.recall('a')).toEqual({});
      memory.keep('a', { era: 'legacy' });
      expect(memory.recall('a')).toEqual({ era: 'legacy' });
    },
  );

  test('keeps the newest where there are too many', () => {
    const { file, memory } = open();
    const names = Array.from({ length: 1000 }, (_, n) => [String(n), { era: 'legacy' }]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(names)));
    memory.keep('new', { era: 'legacy' });
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object)).toHaveLength(1000);
    expect(memory.recall('new')).toEqual({ era: 'legacy' });
  });

  test('spares the first question at the next start', async () => {
    const { memory } = open();
    // It ends at a question of the other era, so that a second start is counted.
    const servers = { a: fixture('slow-start.mjs', '--legacy', '--exit') };
    const first = await startUpstreams(servers, { memory });
    expect(first.upstreams.view('a')).toMatchObject({ state: 'ready', restarts: 1 });
    await stopUpstreams();
    const second = await startUpstreams(servers, { memory });
    expect(second.upstreams.view('a')).toMatchObject({ state: 'ready', restarts: 0 });
  });
});
