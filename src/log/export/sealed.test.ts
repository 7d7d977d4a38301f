import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, eachLog, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';

const VERIFIER = fileURLToPath(new URL('../../../tools/verify-sealed.mjs', import.meta.url));
let log: TestLog;

async function fill(n: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < n; i++) {
    const record = log.activity.open(
      draft({
        arguments: { secretly: `word${i}` },
        metadata: { intent: { operation_type: 'read', reason: `reason${i}` } },
      }),
    );
    ids.push(record.id);
    if (i % 3 === 0) await record.durable();
    await record.close({ status: 'error', response: { said: `answer${i}` }, error_message: `message${i}` });
  }
  return ids;
}

async function stored(): Promise<Buffer> {
  if (log.engine === 'postgres') {
    const rows = await Promise.all(
      ['activity', 'activity_text'].map((table) => log.sql(`SELECT t::text AS text FROM ${table} AS t`)),
    );
    return Buffer.from(JSON.stringify(rows));
  }
  const files = readdirSync(log.dir).filter((name) => name.startsWith('activity.db'));
  return Buffer.concat(files.map((name) => readFileSync(join(log.dir, name))));
}

const verifyFile = (file: string, ...options: string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [VERIFIER, file, ...options], { encoding: 'utf8' });
  return [status, stdout.split(':').slice(0, 2).join(':')];
};

eachLog('sealed export', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('is verified without mcpproxy; what was changed, taken out or put in is found', async () => {
    const ids = await fill(8);
    await log.activity.redact(ids[1]!, { by: 'operator' });
    log.settings.max_records = 5;
    await log.activity.sweep();
    const lines: string[] = [];
    for await (const line of log.activity.sealed()) lines.push(line);
    const file = join(log.dir, 'export.jsonl');
    const check = (text: string[], ...options: string[]) => {
      writeFileSync(file, `${text.join('\n')}\n`);
      return verifyFile(file, ...options);
    };
    const key = join(log.dir, 'activity-key.pub');
    expect(check(lines)[0]).toBe(0);
    expect(check(lines, '--public-key', key, '--checkpoint', join(log.dir, 'checkpoints.log'))[0]).toBe(0);
    const at = lines.findIndex((line) => line.includes('answer6'));
    expect(check(lines.map((line) => line.replace('answer6', 'answer9')))).toEqual([
      1,
      'broken: row differs',
    ]);
    expect(check(lines.toSpliced(at, 1))).toEqual([1, 'broken: gap']);
    expect(check([...lines, lines[at]!])).toEqual([1, 'broken: order']);
    expect(check(lines.with(at, lines[at]!.replace('"hash":"', '"hash":"x')))).toEqual([1, 'broken: hash']);
    expect(check(lines.slice(0, -3), '--checkpoint', join(log.dir, 'checkpoints.log'))[0]).toBe(1);
    expect(check(['{}'])[0]).toBe(2);
    expect(readFileSync(VERIFIER, 'utf8').split('\n').length).toBeLessThanOrEqual(575);
  });
});

/** The stand-alone verifier without a process of its own. */
const { verifySealed } = (await import(VERIFIER)) as {
  verifySealed: (args: string[]) => Promise<{ code: number; said: string }>;
};
const verdictOf = (...args: string[]) => verifySealed(args);

/** The value with each place that holds something changed, one after the other. */
function* edits(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) for (const next of edits(each)) yield value.with(i, next);
    yield [...(value as unknown[]), 'x'];
    yield value.slice(1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value))
      for (const next of [...edits(each), [each], undefined]) yield { ...value, [key]: next };
    yield { ...value, more: 'x' };
    yield [value];
  } else if (typeof value === 'string') {
    yield `${value}x`;
    yield value.slice(0, -1);
  } else if (typeof value === 'number') {
    yield value + 1;
    yield String(value);
  } else yield 'x';
}

/** A change of the configuration, a person's decision, masked parts, and a record that a crash has left open. */
async function fillOtherKinds(): Promise<void> {
  const { metadata: _none, operation_type: _no, ...plain } = draft();
  const kinds = [
    draft({
      ...plain,
      type: 'config_change',
      source: 'api',
      metadata: { action: 'start', principal: 'operator' },
    }),
    draft({ ...plain, type: 'decision', source: 'api', metadata: { action: 'deny', principal: 'operator' } }),
    draft({ arguments: { text: 'password=hunter2hunter2' } }),
  ];
  for (const each of kinds)
    await log.activity.open(each).close({ status: 'success', response: { ok: true } });
  await log.activity.open(draft({ request_id: 'left open' })).durable();
  await log.restart();
}

const READERS = ['nobody else', 'who has the key', 'who has the key and the checkpoints'] as const;
/** Who finds nothing wrong in these lines. */
async function deceived(text: Buffer | string): Promise<string[]> {
  const file = join(log.dir, 'edited.jsonl');
  writeFileSync(file, text);
  const key = ['--public-key', join(log.dir, 'activity-key.pub')];
  const given = [[], key, [...key, '--checkpoint', join(log.dir, 'checkpoints.log')]];
  const codes = await Promise.all(given.map(async (options) => (await verdictOf(file, ...options)).code));
  return READERS.filter((_, i) => codes[i] === 0);
}

async function exported(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of log.activity.sealed()) lines.push(line);
  return lines;
}

interface Line {
  format?: string;
  records?: number;
  keys?: unknown[];
  log?: unknown;
  base?: unknown;
  n?: number;
  entry?: unknown;
  hash?: string;
  record?: Record<string, unknown>;
}
const textOf = (lines: readonly Line[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const sha = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Entries of a log that somebody without the key has made up, each with the hash that belongs there. */
function forge(id: string, entries: ReadonlyArray<{ say: object; record?: Line['record'] }>): Line[] {
  let hash = sha(`mcpproxy-log-1 ${id}`);
  const made = entries.map(({ say, record }, i) => {
    const entry = JSON.stringify({ n: i + 1, t: 5, ...say });
    hash = sha(`mcpproxy-log-1 ${hash} ${entry.length} ${entry}`);
    return { n: i + 1, entry, hash, ...(record && { record }) };
  });
  return [{ log: id, base: null }, ...made];
}

function digestOf(record: Record<string, unknown>): string {
  const part = (value: unknown) => {
    if (value === null) return '-;';
    return typeof value === 'string' ? `${value.length}:${value};` : `#${value as number};`;
  };
  return sha(Object.values(record).map(part).join(''));
}

eachLog('an edited sealed export of a log from its beginning', (open) => {
  let lines: Line[];
  let text: string;
  beforeEach(async () => {
    log = await open();
    await fill(3);
    await log.activity.checkpoint();
    await fill(2);
    const odd = log.activity.open(draft({ arguments: { odd: 'a \ufffd b' } }));
    await odd.close({ status: 'success' });
    const found = await exported();
    text = `${found.join('\n')}\n`;
    lines = found.map((line) => JSON.parse(line) as Line);
  });
  afterEach(() => log.remove());

  const change = (edit: (copy: Line[]) => void): string => {
    const copy = structuredClone(lines);
    edit(copy);
    const changed = textOf(copy);
    expect(changed).not.toBe(text);
    return changed;
  };
  const kindOf = ({ entry }: Line) =>
    typeof entry === 'string' ? (JSON.parse(entry) as { k: string }).k : undefined;
  const cut = (copy: Line[]) => {
    copy.length = copy.findIndex((line) => kindOf(line) === 'checkpoint') + 1;
    copy[0]!.records = copy.filter(({ record }) => record).length;
  };

  test('deceives nobody, whatever its values are made to look like', async () => {
    expect(await deceived(text)).toEqual(READERS);
    const id = lines[1]!.log as string;
    const record = { ...lines.find((line) => line.record)!.record!, id: '01JHMWQ4M0AAAAAAAAAAAAAAAA' };
    const opened = { say: { k: 'opened', id: record.id, digest: 'x' } };
    const closed = { say: { k: 'closed', id: record.id, digest: digestOf(record) }, record };
    const forged = (name: string) =>
      change((copy) => {
        copy[0]!.records!++;
        copy.push(...forge(name, [opened, closed]));
      });
    const edited = {
      'cut, and the log in a list': change((copy) => {
        cut(copy);
        copy[1]!.log = [id];
      }),
      'the log in a list': change((copy) => {
        copy[1]!.log = [id];
      }),
      'the log twice': change((copy) => {
        copy[0]!.records! *= 2;
        copy.push(...structuredClone(copy.slice(1)));
      }),
      'the log twice, then in a list': change((copy) => {
        copy[0]!.records! *= 2;
        const again = structuredClone(copy.slice(1));
        again[0]!.log = [id];
        copy.push(...again);
      }),
      'an empty log': change((copy) => copy.push({ log: 'FORGED', base: null })),
      'a forged log': forged('FORGED'),
      'a forged log in a list': change((copy) => copy.push({ log: ['FORGED'], base: null })),
      'a lone surrogate': text.replace('\ufffd', '\\ud800'),
      'no nulls': change((copy) => {
        for (const line of copy)
          if (line.record)
            line.record = Object.fromEntries(Object.entries(line.record).filter(([, each]) => each !== null));
      }),
      'a key in a list': change((copy) => {
        copy[0]!.keys = [copy[0]!.keys];
      }),
      'a key twice': change((copy) => copy[0]!.keys!.push(copy[0]!.keys![0])),
      'an entry in a list': change((copy) => {
        copy[2]!.entry = [copy[2]!.entry];
      }),
      'a number as text': change((copy) => {
        copy[0]!.records = String(copy[0]!.records) as unknown as number;
      }),
      'more in the last checkpoint': change((copy) => {
        const [before, last] = [copy.at(-2)!, copy.at(-1)!];
        expect(kindOf(last)).toBe('checkpoint');
        const entry = JSON.stringify({ ...(JSON.parse(last.entry as string) as object), more: 'x' });
        Object.assign(last, { entry, hash: sha(`mcpproxy-log-1 ${before.hash} ${entry.length} ${entry}`) });
      }),
      'an entry of a kind that all objects have': change((copy) =>
        copy.push(...forge('FORGED', [{ say: { k: 'constructor', id: 'A' } }])),
      ),
    };
    for (const [name, changed] of Object.entries(edited)) {
      expect([name, changed === text]).toEqual([name, false]);
      expect([name, await deceived(changed)]).toEqual([name, []]);
    }
  });

  test('shows each record once and in its newest state, in whatever order its logs stand', async () => {
    const before = lines.find(({ record }) => record)!;
    const id = before.record!.id as string;
    await log.activity.close();
    // With a new key the redaction stands in another log than the record that it is about.
    rmSync(join(log.dir, 'activity-key.pem'));
    await log.restart();
    await log.activity.redact(id, { by: 'operator' });
    const after = (await exported()).map((line) => JSON.parse(line) as Line);
    const keys = join(log.dir, 'keys.pub');
    writeFileSync(keys, (after[0]!.keys as string[]).join(''));
    const second = after.findLastIndex((line) => line.log !== undefined);
    const [head, first, last] = [after[0]!, after.slice(1, second), after.slice(second)];
    const verdict = (...parts: Line[][]) =>
      verdictOf(
        writtenTo(
          'old.jsonl',
          parts.flat().map((line) => JSON.stringify(line)),
        ),
        '--public-key',
        keys,
      );
    const old = first.map((line) => (line.hash === before.hash ? before : line));
    const without = last.map(({ record: _left, ...line }) => line);
    const more = { ...head, records: head.records! + 1 };
    expect(await verdict([head], first, last)).toMatchObject({ code: 0 });
    expect(await verdict([head], last, first)).toMatchObject({ code: 0 });
    expect(await verdict([head], old, without)).toMatchObject({ code: 1 });
    expect(await verdict([head], without, old)).toMatchObject({ code: 1 });
    expect(await verdict([more], old, last)).toMatchObject({ code: 1 });
    expect(await verdict([more], last, old)).toMatchObject({ code: 1 });
  });

  test('that is cut at a checkpoint deceives only who has no later one', async () => {
    expect(await deceived(change(cut))).toEqual(READERS.slice(0, 2));
  });

  test('that ends before the checkpoint is named as older or cut off', async () => {
    const file = join(log.dir, 'older.jsonl');
    writeFileSync(file, change(cut));
    expect(await verdictOf(file, '--checkpoint', join(log.dir, 'checkpoints.log'))).toEqual({
      code: 1,
      said: expect.stringMatching(
        /^broken: truncated: .*the export is older than this checkpoint, or its end was cut off/,
      ) as string,
    });
  });

  test('is not intact against checkpoints of another log, of one more log, or of none', async () => {
    const file = join(log.dir, 'whole.jsonl');
    writeFileSync(file, text);
    const own = readFileSync(join(log.dir, 'checkpoints.log'), 'utf8');
    const against = async (checkpoints: string) => {
      const copy = join(log.dir, 'copy.log');
      writeFileSync(copy, checkpoints);
      const key = join(log.dir, 'activity-key.pub');
      return verdictOf(file, '--public-key', key, '--checkpoint', copy);
    };
    expect(await against(own)).toMatchObject({ code: 0 });
    // A last line that a crash has cut off.
    expect(await against(own + own.slice(0, 20))).toMatchObject({ code: 0 });
    const id = lines[1]!.log as string;
    const other = own.replaceAll(id, 'OTHER');
    for (const [given, code, said] of [
      ['', 2, /holds no checkpoint/],
      ['\n\n', 2, /holds no checkpoint/],
      ['noise\n', 2, /line 1 .*is no checkpoint/],
      [own.slice(0, 20) + own, 2, /line 1 .*is no checkpoint/],
      [own.replaceAll(`"${id}"`, `["${id}"]`), 2, /line 1 .*is no checkpoint/],
      [`${own}{"log":"OTHER","n":50,"head":"x","time":1,"signature":"x"}\n`, 2, /is no checkpoint/],
      [other, 2, /OTHER/],
      [own + other, 2, /OTHER/],
      [
        own.replace(/"signature":"(.)/g, (_, c) => `"signature":"${c === '_' ? '-' : '_'}`),
        1,
        /bad signature/,
      ],
    ] as const)
      expect([given, await against(given)]).toEqual([
        given,
        { code, said: expect.stringMatching(said) as string },
      ]);
    expect(await verdictOf(file, '--checkpoint', '/dev/null')).toMatchObject({ code: 2 });
    expect(await verdictOf(file, '--checkpoint', join(log.dir, 'nowhere'))).toMatchObject({ code: 2 });
    expect(await verdictOf(file, '--public-key', '/dev/null')).toMatchObject({ code: 2 });
  });

  test('a log that was taken out is missed where the checkpoints tell of it', async () => {
    await log.activity.close();
    rmSync(join(log.dir, 'activity-key.pem'));
    await log.restart();
    await fill(2);
    const both = (await exported()).map((line) => JSON.parse(line) as Line);
    const second = both.findLastIndex((line) => line.log !== undefined);
    const first = structuredClone(both.slice(0, second));
    first[0]!.records = first.filter(({ record }) => record).length;
    const file = join(log.dir, 'first.jsonl');
    const keys = join(log.dir, 'keys.pub');
    writeFileSync(keys, (both[0]!.keys as string[]).join(''));
    const verdict = (all: readonly Line[]) => {
      writeFileSync(file, textOf(all));
      return verdictOf(file, '--public-key', keys, '--checkpoint', join(log.dir, 'checkpoints.log'));
    };
    expect(await verdict(both)).toMatchObject({ code: 0 });
    first[0]!.keys = lines[0]!.keys!;
    const without = await verdict(first);
    expect(without.code).toBe(1);
    expect(without.said).toMatch(/^broken: truncated: log \w+: the checkpoints cover \d+ entries of it/);
    writeFileSync(join(log.dir, 'checkpoints.log'), JSON.stringify(witnessOf(lines)) + '\n');
    expect(await verdict(both)).toMatchObject({
      code: 2,
      said: expect.stringContaining('has no line of log') as string,
    });
  });

  test('is signed to its end also while calls are made, and without a log that holds nothing', async () => {
    const over = new AbortController();
    const calls = (async () => {
      while (!over.signal.aborted) await log.activity.open(draft()).close({ status: 'success' });
    })();
    try {
      for (let i = 0; i < 10; i++) {
        const found = (await exported()).map((line) => JSON.parse(line) as Line);
        expect(kindOf(found.at(-1)!)).toBe('checkpoint');
      }
    } finally {
      over.abort();
      await calls;
    }
    await log.activity.close();
    rmSync(join(log.dir, 'activity-key.pem'));
    await log.restart();
    const after = await exported();
    expect(after.filter((line) => line.startsWith('{"log"'))).toHaveLength(1);
    expect(await verdictOf(writtenTo('after.jsonl', after))).toMatchObject({ code: 0 });
  });

  test('what no checkpoint has signed yet is counted and has an exit code of its own', async () => {
    const signed = lines.at(-1)!;
    const { n, hash } = signed;
    const entry = JSON.stringify({ n: n! + 1, t: 5, k: 'opened', id: 'A', digest: 'x' });
    const record = lines.find((line) => line.record)!.record!;
    const open = { ...record, id: 'A', status: 'pending' };
    const say = entry.replace('"x"', `"${digestOf(open)}"`);
    const tail = {
      n: n! + 1,
      entry: say,
      hash: sha(`mcpproxy-log-1 ${hash} ${say.length} ${say}`),
      record: open,
    };
    const file = join(log.dir, 'tail.jsonl');
    writeFileSync(file, textOf([{ ...lines[0]!, records: lines[0]!.records! + 1 }, ...lines.slice(1), tail]));
    const { code, said } = await verdictOf(file, '--public-key', join(log.dir, 'activity-key.pub'));
    expect(code).toBe(3);
    expect(said).toMatch(/^not all signed: 1 of \d+ entries/);
    expect((await verdictOf('--help')).said).toMatch(/^ *3: /m);
  });
});

function writtenTo(name: string, lines: readonly string[]): string {
  const file = join(log.dir, name);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

function witnessOf(lines: readonly Line[]): object {
  const { entry } = lines.at(-1)!;
  const { n, t, head, signature } = JSON.parse(entry as string) as Record<string, unknown>;
  return { log: lines[1]!.log, n: (n as number) - 1, head, time: t, signature };
}

eachLog('an edited sealed export', (open) => {
  let whole: Buffer;
  let key: string;
  beforeEach(async () => {
    log = await open();
    const ids = await fill(5);
    await log.activity.redact(ids[1]!, { by: 'operator' });
    await fillOtherKinds();
    log.settings.max_records = 8;
    await log.activity.sweep();
    const stillOpen = log.activity.open(draft({ client: 'caf\u00e9 \u2028 \ufffd', session_id: 's' }));
    await stillOpen.durable();
    const lines: string[] = [];
    for await (const line of log.activity.sealed()) lines.push(`${line}\n`);
    whole = Buffer.from(lines.join(''));
    key = join(log.dir, 'activity-key.pub');
  });
  afterEach(() => log.remove());

  const verdict = async (bytes: Buffer | string) => {
    const file = join(log.dir, 'edited.jsonl');
    writeFileSync(file, bytes);
    return (await verdictOf(file, '--public-key', key)).code;
  };
  /** Not even a reader without key and checkpoints takes it for whole; these only add to what is checked. */
  const refused = async (text: string) => (await verdictOf(writtenTo('edited.jsonl', [text]))).code !== 0;

  test('no value on any line can be changed, added or taken out', async () => {
    expect(await deceived(whole)).toEqual(READERS);
    for (const kind of [
      'config_change',
      'decision',
      '***[masked:',
      '"salt":null',
      'left open',
      'recovered',
      'dropped',
    ])
      expect(whole.toString()).toContain(kind);
    const lines = whole.toString().split('\n').slice(0, -1);
    const changed = lines.flatMap((line, at) =>
      [...edits(JSON.parse(line))].map((value) => lines.with(at, JSON.stringify(value)).join('\n')),
    );
    expect(changed.length).toBeGreaterThan(100);
    const intact: string[] = [];
    for (const text of changed) if (!(await refused(text))) intact.push(text);
    expect(intact).toEqual([]);
  });

  test('no byte can be changed, not even one that changes nothing to be seen', async () => {
    let seed = Number(process.env.MCPPROXY_TEST_SEED ?? 42);
    const said = `seed ${seed}`;
    const next = (below: number) => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1) % below;
    const intact: unknown[] = [];
    for (let i = 0; i < 200; i++) {
      const [at, by] = [next(whole.length), 1 + next(255)];
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at]! + by) % 256;
      if ((await verdict(bytes)) === 0) intact.push({ at, by });
    }
    expect(intact, said).toEqual([]);
    const text = whole.toString();
    const notToBeSeen = [
      text.replace('":', '": '),
      text.replace('{"n"', '{ "n"'),
      text.replaceAll('\n', '\r\n'),
      `${text}\n`,
      text.slice(0, -1),
      `\ufeff${text}`,
      text.replace('"record":{"salt"', '"record":{"id":"x","salt"'),
      text.replace('caf\u00e9', 'caf\\u00e9'),
    ];
    for (const each of notToBeSeen) {
      expect(each).not.toBe(text);
      expect([each, await verdict(each)]).not.toEqual([each, 0]);
    }
  });

  test('the copy of a record on the line of its opening is gone: an edited name has no place to stand', () => {
    const lines = whole.toString().split('\n').slice(0, -1);
    const records = lines.flatMap((line) => (JSON.parse(line) as { record?: { id: string } }).record ?? []);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    expect(records.length).toBe((JSON.parse(lines[0]!) as { records: number }).records);
  });

  test('--print prints the verified records as readable JSON, and nothing of a file that does not verify', async () => {
    const file = join(log.dir, 'printed.jsonl');
    writeFileSync(file, whole);
    const run = (...more: string[]) =>
      spawnSync(process.execPath, [VERIFIER, file, '--public-key', key, '--print', ...more], {
        encoding: 'utf8',
      });
    const { status, stdout, stderr } = run();
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^intact: /)]);
    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const { records } = await log.activity.list({}, { limit: 100 });
    expect(printed).toHaveLength(records.length);
    expect(new Set(printed.map(({ id }) => id))).toEqual(new Set(records.map(({ id }) => id)));
    expect(printed.find(({ session_id: session }) => session === 's')).toMatchObject({
      client: 'caf\u00e9 \u2028 \ufffd',
    });
    expect(stdout).not.toContain('\u2028');
    const {
      id,
      timestamp,
      arguments: args,
      response,
      status: ended,
    } = records.find((each) => each.response)!;
    expect(printed.find((each) => each.id === id)).toMatchObject({
      timestamp,
      status: ended,
      arguments: args,
      response,
      signed: true,
    });
    writeFileSync(file, whole.toString().replace('message4', 'message5'));
    expect(run()).toMatchObject({ status: 1, stdout: '' });
  });

  test('without --public-key the verifier says what that proves; --help says how to use it', async () => {
    const file = join(log.dir, 'whole.jsonl');
    writeFileSync(file, whole);
    const alone = await verdictOf(file);
    expect(alone.code).toBe(0);
    expect(alone.said).toMatch(/^intact: \d+ entries, \d+ records\nWARNING: no --public-key was given/);
    const given = await verdictOf(file, '--public-key', key);
    expect(given.said).not.toContain('WARNING');
    const help = await verdictOf('--help');
    expect(help).toMatchObject({ code: 0, said: expect.stringContaining('--public-key FILE') as string });
    expect(await verdictOf(file, '--public-key')).toMatchObject({ code: 2 });
    const older = whole.toString().replace('mcpproxy-sealed-2', 'mcpproxy-sealed-1');
    writeFileSync(file, older);
    expect((await verdictOf(file)).said).toContain('older form');
  });
});

eachLog('redaction', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('removes what was said from the file, keeps that it happened, and is done once', async () => {
    const [id] = await fill(1);
    await log.activity.list({ q: 'word0' }, { limit: 1 });
    const left = await log.activity.redact(id!, { by: 'operator', reason: 'asked for' });
    expect(left).toMatchObject({
      id,
      status: 'error',
      tool_name: 'read_file',
      metadata: { intent: { operation_type: 'read' }, redacted: { by: 'operator', reason: 'asked for' } },
    });
    expect(left).not.toHaveProperty('arguments');
    expect(left).not.toHaveProperty('response');
    expect(left).not.toHaveProperty('error_message');
    expect(left!.metadata.intent).not.toHaveProperty('reason');
    const disk = await stored();
    for (const said of ['answer0', 'message0', '"word0"'])
      expect([said, disk.includes(said)]).toEqual([said, false]);
    expect(await log.activity.list({ q: 'word0' }, { limit: 1 })).toMatchObject({ total: 0 });
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 1 });
    await expect(log.activity.redact(id!, { by: 'operator' })).rejects.toMatchObject({ code: 'CONFLICT' });
    const open = log.activity.open(draft());
    await expect(log.activity.redact(open.id, { by: 'operator' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await log.activity.redact('01JHMWQ4M0AAAAAAAAAAAAAAAA', { by: 'operator' })).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
  });
});

describe('the beginning of a chain', () => {
  test('records from before the chain are taken in when it begins, and only then', async () => {
    const sqlite = await openTestLog();
    log = sqlite;
    await fill(5);
    await log.activity.close();
    sqlite.db.sqlite.exec(
      'DELETE FROM activity_journal; DELETE FROM activity_log; UPDATE activity SET salt = NULL',
    );
    rmSync(join(log.dir, 'checkpoints.log'));
    rmSync(join(log.dir, 'activity-head.log'));
    await log.restart();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 5, entries: 5 });
    await log.activity.close();
    sqlite.db.sqlite.exec(
      `INSERT INTO activity SELECT seq + 9999, facet_id, ts, id, request_id, session_id, conversation_id, client, server_name, tool_name,
         duration_ms, error_code, error_message, response_truncated, metadata, arguments, response, NULL FROM activity LIMIT 1`,
    );
    await log.restart();
    expect((await log.activity.verify()).problem?.reason).toBe('row without entry');
    await log.remove();
  });
});

eachLog('a key that is lost', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('with a new key a new log begins; the old one is still verified, and still shortened by retention', async () => {
    await fill(6);
    await log.activity.close();
    rmSync(join(log.dir, 'activity-key.pem'));
    await log.restart();
    await fill(4);
    await log.activity.checkpoint();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 10 });
    log.settings.max_records = 7;
    expect(await log.activity.sweep()).toBe(3);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 7 });
    log.settings.max_records = 2;
    await log.activity.sweep();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 2 });
  });
});
