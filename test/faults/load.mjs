// Makes calls over REST from a process of its own, so that the program under test and the clock that judges it do not share an event
// loop. Reads its job as JSON from its first argument and prints what became of the calls as JSON.
//
//   {"url", "key", "job": {"name", "args", "operation", "afterMs", "count"} or {…, "perSecond", "forMs"}}
//
// `count`: so many at once, each on a connection of its own. `perSecond`: at a steady pace over connections that are kept; times count
// from the moment at which a call was due, so that a stall of ours or of the proxy cannot hide behind calls that were never made.
import { connect } from 'node:net';

const { url, key, job, limitMs = 60_000 } = JSON.parse(process.argv[2]);
const { port, host } = new URL(url);
const AT_ONCE = 20;
const idle = [];
const now = () => performance.now();
const origin = now();

function requestOf(keep) {
  const { name, args = {}, operation = 'read' } = job;
  const body = JSON.stringify({
    tool_variant: `call_tool_${operation}`,
    name,
    args,
    intent: { operation_type: operation },
  });
  return [
    'POST /api/v1/tools/call HTTP/1.1',
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Authorization: Bearer ${key}`,
    `Connection: ${keep ? 'keep-alive' : 'close'}`,
    '',
    body,
  ].join('\r\n');
}

/** Resolves with what came back; never rejects. `ms` counts from `due`, `waitMs` from when the bytes were handed to the system. */
function exchange(socket, request, { due, keep, fresh }) {
  return new Promise((resolve) => {
    let text = '';
    let sent = 0;
    const end = (problem) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => {});
      if (problem || !keep) socket.destroy();
      else rest(socket);
      const at = now();
      resolve({ ...parsed(text, problem), ms: at - due, waitMs: at - sent, atMs: due - origin });
    };
    const timer = setTimeout(end, limitMs, 'none: no answer in time');
    const send = () => {
      sent = now();
      socket.write(request);
    };
    socket.on('error', (error) => end(`none: ${error.code}`));
    socket.on('close', () => end(isWhole(text) ? undefined : 'none: closed'));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isWhole(text)) end();
    });
    if (fresh) socket.once('connect', send);
    else send();
  });
}

function parsed(text, problem) {
  const head = /^HTTP\/1\.1 (\d+)/.exec(text);
  const status = problem || !head ? 0 : Number(head[1]);
  const code =
    problem ?? (/"error":\{"code":"(\w+)"/.exec(text)?.[1] || (status === 200 ? 'ok' : `${status}`));
  const took = Number(/\r\nserver-timing: .*?dur=([\d.]+)/i.exec(text)?.[1] ?? NaN);
  const retryAfter = /\r\nretry-after: (\d+)/i.exec(text)?.[1];
  const message = code === 'ok' ? undefined : /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return { status, code, took, retryAfter, message };
}

/** Kept for the next call, unless the server closes it first, as it may with a connection that nobody uses. */
function rest(socket) {
  idle.push(socket);
  socket.once('close', () => idle.includes(socket) && idle.splice(idle.indexOf(socket), 1));
}

function isWhole(text) {
  const head = text.indexOf('\r\n\r\n');
  const length = head > 0 && /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head));
  return Boolean(length) && text.length >= head + 4 + Number(length[1]);
}

let request;

function call(due, keep) {
  const socket = (keep && idle.pop()) || undefined;
  return exchange(socket ?? connect(Number(port), '127.0.0.1'), (request ??= requestOf(keep)), {
    due,
    keep,
    fresh: !socket,
  });
}

const sleepUntil = (at) => new Promise((resolve) => setTimeout(resolve, Math.max(0, at - now())));

async function run() {
  await sleepUntil(origin + (job.afterMs ?? 0));
  const calls = [];
  while (calls.length < (job.count ?? 0)) {
    calls.push(call(now(), false));
    // Whoever opens thousands in one go lets them wait for their first byte.
    if (calls.length % AT_ONCE === 0) await new Promise(setImmediate);
  }
  if (job.count) return Promise.all(calls);
  const begin = now();
  for (let n = 0; (n * 1000) / job.perSecond < job.forMs; n++) {
    const due = begin + (n * 1000) / job.perSecond;
    await sleepUntil(due);
    calls.push(call(due, true));
  }
  return Promise.all(calls);
}

process.stdout.write(JSON.stringify(await run()), () => process.exit(0));
