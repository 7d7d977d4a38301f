import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import pg from 'pg';
import { expect, test } from 'vitest';
import { eachEngine } from '../fixtures/engines.ts';
import { filesBelow } from '../fixtures/files-below.ts';
import { processLines } from '../fixtures/process-lines.ts';
import { redirectOf } from './headless-browser.ts';
import { openFixtureStage, pasteLogIn, type OauthStage } from './oauth-stage.ts';
import { finished, spawnCli } from './run-cli.ts';
import { poll } from './start-proxy.ts';

const CONFIGURED = 'canary-secret-of-a-client/+:%';
const LITERAL = 'canary-secret-in-the-file-4f1c';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));

/** Everything that is said or kept, by the place where it was found. */
type Places = Map<string, string>;

eachEngine('what a log-in has to keep secret', ({ engine, place }) => {
  test('appears in no log, record, export, file, list of processes, error or page', async () => {
    const where = await place();
    const database = 'url' in where ? where.url : undefined;
    const { stage, issuer } = await openFixtureStage(
      // A client that is registered gets a secret too.
      { methods: ['client_secret_basic', 'private_key_jwt'] },
      {
        config: database === undefined ? {} : { database_url: database },
        start: { args: ['--log-level', 'debug'], env: { CONFIGURED, MACHINE_KEY: pem(privateKey) } },
      },
    );
    const key = { id: 'machine', method: 'private_key_jwt' as const, key: publicKey, redirects: [] };
    issuer.clients.set('machine', key);
    const secrets = issuer.grants.secrets;
    const events = listen(stage);
    const places: Places = new Map();

    await logInByHand(stage, places);
    expect((await stage.call('read_note')).isError).toBeFalsy();
    issuer.grants.expire();
    expect((await stage.call('read_note')).isError).toBeFalsy();
    expect((await stage.call('write_note')).isError).toBe(true);
    await stage.until('needs_login');
    await stage.logIn();
    await addOthers(stage);
    await misuse(stage, (fault) => (issuer.behaviour.faults = fault ? { token: 'error' } : {}));
    await collect(stage, places);
    if (database !== undefined) places.set('the database', await dump(database));
    places.set('events', events.seen());
    events.close();

    for (const text of [CONFIGURED, pem(privateKey).split('\n')[1]!]) secrets.add(text);
    expect(secrets.size).toBeGreaterThan(12);
    expect(places.size).toBeGreaterThan(30);
    for (const [at, text] of places)
      for (const secret of secrets)
        for (const form of formsOf(secret)) expect(text.includes(form), `${secret} in ${at}`).toBe(false);
    // What the operator gave literally stays in the file, and only there; on PostgreSQL it is in the database, encrypted.
    const found = [...places].filter(([, text]) => text.includes(LITERAL)).map(([at]) => at);
    expect(found).toEqual(engine === 'sqlite' ? [stage.proxy.configFile] : []);
    for (const file of filesBelow(stage.proxy.dataDir)) expect(statSync(file).mode & 0o077, file).toBe(0);
    expect([engine, filesBelow(stage.proxy.dataDir).some((file) => file.endsWith('login-key'))]).toEqual([
      engine,
      true,
    ]);
  });
});

/** A header carries a secret in base64, a form in its own escapes. */
function formsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, -4)];
}

/** From the command line; while it waits, everybody may see its arguments. */
async function logInByHand(stage: OauthStage, places: Places): Promise<void> {
  await stage.until('needs_login');
  const args = ['upstream', 'login', 'notes', '--paste', ...stage.proxy.place];
  const child = spawnCli(args, { home: stage.proxy.home });
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
  const result = finished(child);
  const page = await poll(
    'the page',
    () => seen,
    () => /http:\S+\/authorize\S+/.exec(seen)?.[0],
  );
  child.stdin.end(`${await redirectOf(page)}\n`);
  places.set('processes during the log-in', processLines().join('\n'));
  const { code, stdout, stderr } = await result;
  expect(code, stderr).toBe(0);
  places.set('upstream login', stdout + stderr);
  await stage.until('ready');
}

async function addOthers(stage: OauthStage): Promise<void> {
  const { url } = stage.server;
  const oauth = [
    { client_id: 'known', client_secret: '${env:CONFIGURED}' },
    { client_id: 'known', client_secret: LITERAL },
    { grant: 'client_credentials', client_id: 'machine', private_key: '${env:MACHINE_KEY}' },
  ];
  for (const [i, one] of oauth.entries())
    expect((await stage.rest('POST', '', { name: `other${i}`, config: { url, oauth: one } })).status).toBe(
      200,
    );
  await expect.poll(async () => (await stage.rest('GET', '/other2')).body.state).toBe('ready');
}

/** Log-ins that fail, each in its own way. */
async function misuse(stage: OauthStage, setFault: (on: boolean) => void): Promise<void> {
  setFault(true);
  expect((await pasteLogIn(stage)).status).toBe(422);
  setFault(false);
  for (const name of ['other0', 'other1']) await stage.rest('POST', `/${name}/login`, {});
  const { authorization_url: page } = await stage.begin();
  const redirect = new URL(await redirectOf(page));
  redirect.searchParams.set('state', 'forged');
  expect((await stage.complete(redirect.href)).status).toBe(422);
  await fetch(redirect);
  expect((await stage.cli(['upstream', 'login', 'notes', '--paste'], `${redirect.href}\n`)).code).not.toBe(0);
}

const PATHS =
  'status servers servers/notes servers/other0 servers/other1 servers/other2 servers/notes/login servers/notes/logs servers/other2/logs tools?limit=100 config activity?limit=100 activity/export activity/sealed tokens'
    .split(' ')
    .map((path) => `/api/v1/${path}`);

const COMMANDS = [
  'status',
  'doctor',
  'upstream list',
  'upstream show notes',
  'upstream show other1',
  'upstream logs notes',
  'config show',
  'config show -o json',
  'activity list',
  'activity export',
];

async function collect(stage: OauthStage, places: Places): Promise<void> {
  const { url, key, home, stderr } = stage.proxy;
  for (const path of [...PATHS, '/metrics', '/openapi.json', '/', '/oauth/callback']) {
    const response = await fetch(url + path, { headers: { 'x-api-key': key } });
    places.set(`GET ${path}`, await response.text());
  }
  for (const command of COMMANDS) {
    const { stdout, stderr: complaint } = await stage.cli(command.split(' '));
    places.set(`mcpproxy ${command}`, stdout + complaint);
  }
  places.set('the log', stderr());
  places.set('processes', processLines().join('\n'));
  for (const file of filesBelow(home)) places.set(file, readFileSync(file, 'latin1'));
}

/** Every row of every table, as text. */
async function dump(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts.push(...rows.map(({ row }) => row));
    }
    expect(texts.length).toBeGreaterThan(5);
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

/** What a page that follows the events hears. */
function listen({ proxy }: OauthStage) {
  const stop = new AbortController();
  let seen = '';
  const read = async (): Promise<void> => {
    const response = await fetch(`${proxy.url}/api/v1/events`, {
      headers: { 'x-api-key': proxy.key },
      signal: stop.signal,
    });
    for await (const chunk of response.body!) seen += Buffer.from(chunk).toString();
  };
  read().catch(() => undefined);
  return { seen: () => seen, close: () => stop.abort() };
}
