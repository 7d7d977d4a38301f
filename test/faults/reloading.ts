import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, pause, tally as countsOf, timeGood, type Answer } from './calls.ts';

const good = fixture('annotated.mjs');

interface Rewrite {
  name: string;
  /** Whether what is there afterwards can serve. */
  valid: boolean;
  write: (file: string, text: string) => void | Promise<void>;
}

/** As careful programs do it: beside it, then in its place. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const REWRITES: Rewrite[] = [
  { name: 'valid', valid: true, write: replace },
  { name: 'truncated', valid: false, write: (file, text) => writeFileSync(file, text.slice(0, 60)) },
  { name: 'in place', valid: true, write: (file, text) => writeFileSync(file, text) },
  { name: 'invalid', valid: false, write: (file) => replace(file, '{"mcpServers": 7, "listen": 1}') },
  { name: 'gone', valid: false, write: (file) => unlinkSync(file) },
  { name: 'link', valid: true, write: link },
  {
    name: 'link to nothing',
    valid: false,
    write: (file) => (rmSync(file, { force: true }), symlinkSync(`${file}.none`, file)),
  },
  { name: 'two writers', valid: true, write: twoWriters },
  { name: 'a folder', valid: false, write: (file) => (rmSync(file, { force: true }), mkdirSync(file)) },
  {
    name: 'valid again',
    valid: true,
    write: (file, text) => (rmSync(file, { recursive: true }), replace(file, text)),
  },
  {
    name: 'open to others',
    valid: false,
    write: (file, text) => (writeFileSync(file, `${text} `), chmodSync(file, 0o666)),
  },
  { name: 'private again', valid: true, write: (file) => chmodSync(file, 0o600) },
];

function link(file: string, text: string): void {
  const target = join(file, '..', `target-${Date.now()}.json`);
  writeFileSync(target, text, { mode: 0o600 });
  symlinkSync(target, `${file}.link`);
  renameSync(`${file}.link`, file);
}

/** Two programs write the same file piece by piece, and the one that ends last leaves it whole. */
async function twoWriters(file: string, text: string): Promise<void> {
  const half = Math.floor(text.length / 2);
  for (let n = 0; n < 3; n++) {
    writeFileSync(file, text.slice(0, half));
    await pause(60);
    writeFileSync(file, text.slice(half));
    await pause(60);
  }
  replace(file, text);
}

/** A server that is started differently stays usable, so that each of its calls counts. */
const quarantine = 'warn';

export const reloading: Attack = {
  threat: 'F22',
  title: 'the configuration is rewritten again and again under load',
  async run(tally, scale) {
    const times = scale === 'full' ? 100 : REWRITES.length;
    const proxy = await startProxy({ config: { quarantine, mcpServers: { kept: good, other: good } } });
    const pidOf = async () => (await proxy.rest.request('getServer', { name: 'kept' })).pid;
    const done = { yes: false };
    const load = loadUntil(proxy, done);
    const touched = touchedUntil(proxy, done);
    try {
      const pid = await pidOf();
      for (let n = 0; n < times; n++) await rewrite(proxy, n, tally);
      done.yes = true;
      const calls = await load;
      const failed = calls.filter((ms) => ms === Infinity).length;
      tally.held(
        failed === 0,
        `${failed} of ${calls.length} calls to the server that was not touched failed`,
      );
      judgeTouched(await touched, tally);
      const samePid = (await pidOf()) === pid;
      tally.held(samePid, 'the server that was not touched has another process');
      const told = proxy.stderr().split('the configuration file is invalid').length - 1;
      tally.held(told > 0, 'the log does not tell of it');
      tally.figure(
        `${times} rewrites in ${REWRITES.length} ways, ${calls.length} calls, ${failed} failed, ${samePid ? 'same' : 'another'} pid`,
      );
    } finally {
      done.yes = true;
      await proxy.dispose();
    }
  },
};

async function loadUntil(proxy: RunningProxy, done: { yes: boolean }): Promise<number[]> {
  const all: number[] = [];
  while (!done.yes) all.push(...(await timeGood(proxy, 'kept:read_only', 100)));
  return all;
}

interface Touched {
  answers: Answer[];
  /** Searches that did not find a tool of the server. */
  forgotten: number;
}

/** Longer than any machine needs to start the server once more. */
const LAST_START_MS = 100_000;

/**
 * Calls and looks for a tool of the server that is closed and opened again with every valid file. On a busy machine no start may be over
 * before the next file comes, so the calls continue after the last file until the server has answered.
 */
async function touchedUntil(proxy: RunningProxy, done: { yes: boolean }): Promise<Touched> {
  const touched: Touched = { answers: [], forgotten: 0 };
  let end = Infinity;
  const isOver = () => {
    if (done.yes && end === Infinity) end = Date.now() + LAST_START_MS;
    return done.yes && (Date.now() > end || touched.answers.some(({ code }) => code === 'ok'));
  };
  for (; !isOver(); await pause(5)) {
    touched.answers.push(await callOnce(proxy, 'other:read_only'));
    const { tools } = await proxy.rest.request('listTools', { server: 'other' });
    if (!tools.some(({ name }) => name === 'other:read_only')) touched.forgotten++;
  }
  return touched;
}

function judgeTouched({ answers, forgotten }: Touched, tally: Tally): void {
  const counts = countsOf(answers);
  const said = JSON.stringify(counts);
  tally.held(counts.ok! > 0, `the server that is changed never answered: ${said}`);
  const expected = new Set(['ok', 'SERVER_UNAVAILABLE', 'OUTCOME_UNKNOWN']);
  const others = answers.filter(({ code }) => !expected.has(code));
  tally.held(others.length === 0, `calls to the server that is changed: ${others[0]?.text}`);
  const unhelpful = answers.filter(
    ({ code, retryAfter, text }) =>
      code === 'SERVER_UNAVAILABLE' && (retryAfter === undefined || !text.includes('try again in a moment')),
  );
  tally.held(unhelpful.length === 0, `no word on when to come again: ${unhelpful[0]?.text}`);
  tally.held(forgotten === 0, `the tools of the server that is changed were forgotten ${forgotten} times`);
  tally.figure(`the server that is changed: ${said}`);
}

/** Writes it, and waits until the proxy has seen it; what serves meanwhile is the last that was valid. */
async function rewrite(proxy: RunningProxy, n: number, tally: Tally): Promise<void> {
  const { name, valid, write } = REWRITES[n % REWRITES.length]!;
  const text = JSON.stringify({
    quarantine,
    mcpServers: { kept: good, other: { ...good, env: { N: String(n) } } },
    call_timeout: `${30 + n}s`,
  });
  await write(proxy.configFile, text);
  const seen = async () => {
    const { config_error: error } = await proxy.rest.request('status', {});
    if ((error === null) !== valid) return undefined;
    const { call_timeout: now } = (await proxy.rest.request('getConfig', {})).settings as {
      call_timeout?: string;
    };
    return !valid || name === 'private again' || now === `${30 + n}s` || undefined;
  };
  const shown = await poll(name, () => '', seen).catch(() => false);
  tally.held(shown, `${name}: ${valid ? 'it is not taken up' : 'the error is not shown'}`);
  const ready = await fetch(`${proxy.url}/readyz`);
  tally.held(ready.ok, `${name}: /readyz says ${ready.status}`);
}
