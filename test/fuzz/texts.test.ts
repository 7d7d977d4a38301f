import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { readCheckpoints } from '../../src/log/chain/checkpoint-file.ts';
import { csvCell } from '../../src/log/export/csv.ts';
import { maskText } from '../../src/log/mask/mask-text.ts';
import { toJson } from '../../src/log/record/to-json.ts';
import { classify } from '../../src/assistant/read/classify.ts';
import { displayWidth, fit } from '../../src/doors/cli/output/table.ts';
import { safeJson, safeYaml } from '../../src/doors/cli/output/safe-json.ts';
import { readEvents } from '../../src/doors/cli/events.ts';
import { visibleLine, visibleText } from '../../src/lib/visible-text.ts';
import { parse } from 'yaml';
import { broken, json, text } from './arbitraries.ts';
import { fuzz, orRefused } from './cases.ts';
import { answered, inTime } from './in-time.ts';
import { startStage } from './stage.ts';

const words = fc.constantFrom(
  'delete',
  'add',
  'all',
  'my',
  'tasks',
  'milk',
  'yes',
  'no',
  'the',
  '#2',
  'done',
  'and',
  'not',
  "don't",
  'rename',
  'to',
  'every',
  'please',
  'löschen',
  '1.',
  '"buy milk"',
  ',',
);
const said = fc.oneof(
  text,
  fc
    .array(fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: text }), { maxLength: 25 })
    .map((all) => all.join(' ')),
);
fuzz('assistant: messages', fc.tuple(said, fc.option(text, { nil: undefined })), ([message, open]) => {
  const input = { message, ...(open !== undefined && { pending: { task_description: open } }) };
  const once = inTime(() => classify(input));
  if (JSON.stringify(once) !== JSON.stringify(classify(input))) throw new Error('understood in two ways');
});

let dir: string;
let checkpoints: string;
let sealed: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-fuzz-'));
  const stage = await startStage();
  for (const tool of ['read_only', 'none', 'fails'])
    await stage.rest
      .request('callTool', {
        body: { tool_variant: 'call_tool_read', name: `up:${tool}`, intent: { operation_type: 'read' } },
      })
      .catch(() => undefined);
  sealed = (await stage.send({ method: 'GET', path: '/api/v1/activity/sealed' })).body.replace(
    /^[0-9a-f]+\r\n|\r\n[0-9a-f]*\r\n/gm,
    '',
  );
  await stage.stop();
  checkpoints = `${JSON.stringify({ log: 'a', n: 3, head: 'h', time: 5, signature: 's' })}\n`.repeat(3);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const VERIFIER = fileURLToPath(new URL('../../tools/verify-sealed.mjs', import.meta.url));

/** The stand-alone verifier in a thread: 0 intact, 1 broken, 2 cannot tell, 3 not all signed. */
function verify(file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(VERIFIER, { argv: [file], stdout: true });
    worker.on('error', reject).on('exit', resolve);
  });
}

/** One case in thirty starts the verifier, which takes a thread of its own. */
fuzz(
  'checkpoints and sealed exports',
  fc.tuple(broken(fc.constant('\0')), fc.nat(29), fc.nat(), fc.nat(20), text),
  async ([noise, choice, at, length, what]) => {
    const source = choice === 0 ? sealed : checkpoints;
    const place = at % source.length;
    const changed = choice > 25 ? noise : source.slice(0, place) + what + source.slice(place + length);
    orRefused(['INVALID_REQUEST'], () => readCheckpoints(changed));
    if (choice !== 0) return;
    const file = join(dir, 'sealed.jsonl');
    writeFileSync(file, changed);
    const code = await answered(verify(file), changed);
    if (code === 0 && changed !== sealed) throw new Error(`taken for intact:\n${changed}`);
    if (code > 3) throw new Error(`ended with ${code}`);
  },
);

/** Whatever a terminal obeys or hides; line breaks and tabs apart. */
const OBEYED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;
fuzz('text for a terminal', fc.tuple(text, json, fc.nat(60)), async ([raw, value, room]) => {
  for (const shown of [
    visibleText(raw),
    visibleLine(raw),
    safeJson(value),
    await safeYaml(value),
    csvCell(raw).replace(/\r\n/g, ''),
  ])
    if (OBEYED.test(shown)) throw new Error(`a terminal would obey ${JSON.stringify(shown)}`);
  if (/[\n\t]/.test(visibleLine(raw))) throw new Error('more than one line');
  if (JSON.stringify(JSON.parse(safeJson(value))) !== JSON.stringify(value))
    throw new Error('JSON that says something else');
  if (JSON.stringify(parse(await safeYaml(value))) !== JSON.stringify(value))
    throw new Error(`YAML that says something else: ${await safeYaml(value)}`);
  if (displayWidth(fit(visibleLine(raw), room)) > room) throw new Error('wider than its room');
  const masked = inTime(() => maskText(raw));
  if (inTime(() => maskText(masked)) !== masked) throw new Error('masked twice, it is another text');
  inTime(() => toJson(value, 200));
  for await (const event of readEvents(ReadableStream.from([Buffer.from(raw), Buffer.from('\n\n')])))
    if (typeof event.data !== 'string') throw new Error('no event');
});
