import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { relayStdio } from '../../src/doors/mcp/relay/stdio-relay.ts';
import { createLog } from '../../src/lib/log.ts';
import { INITIALIZE, rpc } from '../fixtures/mcp-messages.ts';
import { broken, jsonText, text } from './arbitraries.ts';
import { fuzz } from './cases.ts';
import { answered } from './in-time.ts';
import { legacyMessage, mayRun, modernMessage } from './messages.ts';
import { judge, startStage, type Stage } from './stage.ts';

const READY = { jsonrpc: '2.0', method: 'notifications/initialized' };
let stage: Stage;
let input: PassThrough;
let served: Promise<void>;
let waiting: { mark: string; done: (text: string) => void } | undefined;
let heard = '';
beforeAll(async () => {
  stage = await startStage();
  input = new PassThrough();
  const output = new PassThrough();
  output.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk;
    if (waiting && heard.includes(waiting.mark)) waiting.done(heard);
  });
  served = relayStdio({
    input,
    output,
    url: stage.daemon.url,
    credential: () => ({ 'x-api-key': stage.key }),
    log: createLog('silent'),
  });
  for (const line of [rpc('initialize', INITIALIZE, 0), READY]) input.write(`${JSON.stringify(line)}\n`);
});
afterAll(async () => {
  input.end();
  await served;
  await stage.stop();
});

let asked = 0;
let possible = 0;

/** Writes a line and a question behind it; gives everything that came up to its answer. */
async function said(line: string): Promise<string> {
  const id = `mark-${++asked}.`;
  heard = '';
  const answer = new Promise<string>((done) => (waiting = { mark: `"id":"${id}"`, done }));
  input.write(`${line}\n${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
  return answered(answer, line);
}

const message = fc.oneof(legacyMessage, modernMessage, fc.array(legacyMessage, { maxLength: 3 }));
const lines = fc.oneof(
  { weight: 4, arbitrary: message.map((one) => JSON.stringify(one) ?? '') },
  { weight: 1, arbitrary: broken(message.map((one) => JSON.stringify(one) ?? '')) },
  { weight: 1, arbitrary: jsonText },
  { weight: 1, arbitrary: fc.tuple(text, text).map((two) => two.join('\r\n')) },
);

/** No line stops the relay: the question behind it is answered. No more calls run than were calls. */
fuzz('stdio: lines', lines, async (line) => {
  for (const one of line.split('\n')) possible += count(one);
  const answers = await said(line);
  judge({ status: 200, head: '', body: answers }, stage.faults);
  if (stage.runs() > possible) throw new Error(`${stage.runs()} calls ran, and ${possible} may have`);
});

function count(line: string): number {
  try {
    return [JSON.parse(line) as unknown].flat().filter(mayRun).length;
  } catch {
    return 0;
  }
}
