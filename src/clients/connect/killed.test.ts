import fs, {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConnections, type Connections } from './connections.ts';

// A command can be killed at any moment. What it has written until then can be taken back.

const token = { id: '01A', name: 'x', secret: `mcpp_${'A'.repeat(49)}` };
const wanted = (client: string, port = 8080) =>
  ({ client, scope: 'user', url: `http://127.0.0.1:${port}/mcp` }) as const;

let home: string;
let dataDir: string;
let connections: Connections;

beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-killed-'));
  home = join(dir, 'home');
  dataDir = join(dir, 'data');
  let time = Date.parse('2026-01-02T03:04:05Z');
  connections = createConnections({
    dataDir,
    around: { home, cwd: dir, platform: 'linux', env: {} },
    stdio: { command: '/usr/bin/node', args: ['/opt/mcpproxy/main.js', 'stdio'] },
    now: () => (time += 1000),
  });
  put('.claude.json', '{"a": 1}\n');
  put('.gemini/settings.json', '{"ui": {}}\n');
});
afterEach(() => {
  revive();
  rmSync(dirname(home), { recursive: true, force: true });
});

function put(path: string, text: string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Every file and folder of the home directory, with the texts. */
function tree(): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .map((each) => {
      const path = join(each.parentPath, each.name);
      return each.isDirectory() ? `${path}/` : `${path}: ${readFileSync(path, 'utf8')}`;
    })
    .sort();
}

const CHANGES = [
  'mkdirSync',
  'writeFileSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
  'chmodSync',
  'chownSync',
  'openSync',
] as const;
// Node.js keeps the functions that it finds when it removes a folder for the first time.
rmSync(mkdtempSync(join(tmpdir(), 'mcpproxy-killed-')), { recursive: true });
const real = Object.fromEntries(CHANGES.map((name) => [name, fs[name]]));

/** From the given change of a file on nothing can be written, as if the process were dead: what it would tidy up stays too. */
function dieAt(step: number): { isDead: () => boolean } {
  let count = 0;
  for (const name of CHANGES)
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        const isRead = name === 'openSync' && !String(args[1]).startsWith('w');
        if (!isRead && ++count >= step) throw new Error('killed');
        return (real[name] as (...given: unknown[]) => unknown)(...args);
      },
    });
  syncBuiltinESMExports();
  return { isDead: () => count >= step };
}

function revive(): void {
  Object.assign(fs, real);
  syncBuiltinESMExports();
  const lock = join(dataDir, 'clients', 'connections.json.lock');
  // As if it were found later.
  if (fs.existsSync(lock)) utimesSync(lock, 0, 0);
}

async function killedAtEachStep(command: () => Promise<unknown>, prepare?: () => Promise<unknown>) {
  const before = tree();
  for (let step = 1; ; step++) {
    await prepare?.();
    const { isDead } = dieAt(step);
    await command().catch(() => {});
    revive();
    for (const client of ['claude-code', 'gemini']) await connections.disconnect(client, 'user');
    expect([step, tree()]).toEqual([step, before]);
    if (!isDead()) return step;
  }
}

test.each(['claude-code', 'gemini'])('connect of %s', async (client) => {
  expect(await killedAtEachStep(() => connections.apply(wanted(client), token))).toBeGreaterThan(8);
});

test('connect again, with another address', async () => {
  const again = { ...token, secret: `mcpp_${'B'.repeat(49)}` };
  const steps = await killedAtEachStep(
    () => connections.apply(wanted('gemini', 9090), again),
    () => connections.apply(wanted('gemini'), token),
  );
  expect(steps).toBeGreaterThan(8);
});

test('disconnect', async () => {
  const steps = await killedAtEachStep(
    () => connections.disconnect('gemini', 'user'),
    () => connections.apply(wanted('gemini'), token),
  );
  expect(steps).toBeGreaterThan(5);
});
