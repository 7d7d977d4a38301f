import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eachEngine } from '../../../test/fixtures/engines.ts';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import type { Clock } from '../../lib/clock.ts';
import { createLoginCipher } from './login-key.ts';
import { createLoginStore, type StoredLogin } from './login-store.ts';

const LOGIN: StoredLogin = {
  url: 'https://mcp.example.com/mcp',
  server: { issuer: 'https://login.example.com', token_endpoint: 'https://login.example.com/token' },
  client: { client_id: 'c', client_secret: 'CANARY-secret', from: 'dynamic' },
  scopes: ['a'],
  grant: 'authorization_code',
  tokens: { access_token: 'CANARY-access', refresh_token: 'CANARY-refresh' },
};

eachEngine('stored log-ins', ({ open }) => {
  async function stores(clock: Clock = { now: () => 1_000_000 }) {
    const db = await open();
    const dir = tempDir();
    const store = (from = dir) => createLoginStore({ db, cipher: createLoginCipher(from), clock });
    return { db, dir, store };
  }

  test('are encrypted with a key that only the owner reads, and are read back', async () => {
    const { db, dir, store } = await stores();
    const version = await store().write('notes', LOGIN);
    expect(await store().read('notes')).toEqual({ version, login: LOGIN });
    const [row] = await db.kysely.selectFrom('server_logins').selectAll().execute();
    expect(JSON.stringify(row)).not.toContain('CANARY');
    expect(Buffer.from(row!.box, 'base64').toString('latin1')).not.toContain('CANARY');
    expect(statSync(join(dir, 'login-key')).mode & 0o777).toBe(0o600);
  });

  test('cannot be read with another key, as another server, or changed', async () => {
    const { db, dir, store } = await stores();
    await store().write('notes', LOGIN);
    expect((await store(tempDir()).read('notes'))?.login).toBeUndefined();
    await db.kysely.updateTable('server_logins').set({ server: 'evil' }).execute();
    expect((await store().read('evil'))?.login).toBeUndefined();
    await db.kysely.updateTable('server_logins').set({ server: 'notes' }).execute();
    expect((await store().read('notes'))?.login).toEqual(LOGIN);
    // A new first key encrypts from then on, and the old one still decrypts.
    const file = join(dir, 'login-key');
    writeFileSync(file, `${'0'.repeat(64)}\n${readFileSync(file, 'utf8')}`);
    expect((await store().read('notes'))?.login).toEqual(LOGIN);
    rmSync(file);
    expect((await store().read('notes'))?.login).toBeUndefined();
  });

  test('get another version with each change, also after they were erased', async () => {
    let now = 1_000_000;
    const { store } = await stores({ now: () => now++ });
    const versions = [await store().write('notes', LOGIN), await store().write('notes', LOGIN)];
    await store().erase('notes');
    expect(await store().read('notes')).toBeUndefined();
    versions.push(await store().write('notes', LOGIN));
    expect(new Set(versions).size).toBe(3);
  });

  test('are locked by one proxy at a time, and not for ever', async () => {
    let now = 1_000_000;
    const { store } = await stores({ now: () => now });
    await store().write('notes', LOGIN);
    expect(await store().claim('notes', 'one')).toBe(true);
    expect(await store().claim('notes', 'two')).toBe(false);
    await store().release('notes', 'two');
    expect(await store().claim('notes', 'two')).toBe(false);
    await store().release('notes', 'one');
    expect(await store().claim('notes', 'two')).toBe(true);
    now += 60_000;
    expect(await store().claim('notes', 'one')).toBe(true);
  });
});
