import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../fixtures/temp-dir.ts';
import { GROUNDS, type KnownClient } from './oauth-grounds.ts';
import { openFixtureStage, openOauthStage, saidBy } from './oauth-stage.ts';

const SECRET = 'the secret of a machine';

/** The configuration of a machine, and what the authorization server knows of it. */
function secretClient(): { client: KnownClient; oauth: object } {
  return {
    client: { id: 'machine', secret: SECRET, method: 'client_secret_basic', machine: true },
    oauth: { grant: 'client_credentials', client_id: 'machine', client_secret: '${env:MACHINE_SECRET}' },
  };
}

function keyClient(): { client: KnownClient; oauth: object } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = join(tempDir(), 'machine.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  chmodSync(file, 0o600);
  return {
    client: { id: 'machine', key: publicKey, method: 'private_key_jwt', machine: true },
    oauth: { grant: 'client_credentials', client_id: 'machine', private_key: `\${file:${file}}` },
  };
}

describe.each(GROUNDS)('machines at %s', (_, start) => {
  test.each([
    ['a secret', secretClient],
    ['a private key', keyClient],
  ] as const)('log in by themselves with %s, and again when their token ends', async (_with, made) => {
    const { client, oauth } = made();
    const ground = await start({ clients: [client] });
    const stage = await openOauthStage(ground, { oauth, start: { env: { MACHINE_SECRET: SECRET } } });
    await stage.until('ready');
    expect(saidBy(await stage.call('read_note'))).toBe('read_note ran');
    await ground.expire();
    expect(saidBy(await stage.call('read_note'))).toBe('read_note ran');
    // The scope of the tool is asked for without anybody's help.
    expect(saidBy(await stage.call('write_note'))).toBe('write_note ran');
    expect(await stage.rest('POST', '/notes/login', {})).toMatchObject({ status: 200, body: { done: true } });
    expect(ground.granted('authorization_code')).toBe(0);
  });
});

test('a machine whose secret is wrong is shown as failed, with the reason and without the secret', async () => {
  const { oauth } = secretClient();
  const { stage } = await openFixtureStage({}, { oauth, start: { env: { MACHINE_SECRET: 'wrong one' } } });
  const view = await stage.until('failed');
  expect(view.last_error).toContain('invalid_client');
  const { status, body } = await stage.rest('POST', '/notes/login', {});
  expect([status, body.error.code]).toEqual([422, 'LOGIN_FAILED']);
  expect(JSON.stringify([view, body])).not.toContain('wrong one');
});
