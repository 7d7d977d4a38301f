// Loaded into the program under test with --import: how much CPU time single turns of its event loop take. CPU time, not time: what else
// runs on the machine does not count. One line per tenth of a second into the file LOOP_TURNS: {"at": ms, "longest": ms, "cpu": ms}.
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs';

const file = process.env.LOOP_TURNS;
const WINDOW_MS = 100;
const stat = Buffer.alloc(64);
// Of the first thread, which is the one with the event loop.
const cpuMs = () => {
  const source = openSync('/proc/self/schedstat', 'r');
  const length = readSync(source, stat, 0, stat.length, 0);
  closeSync(source);
  return Number(stat.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
};

let [before, began, longest, from] = [cpuMs(), cpuMs(), 0, Date.now()];
const tick = () => {
  const now = cpuMs();
  longest = Math.max(longest, now - before);
  before = now;
  if (Date.now() - from >= WINDOW_MS) {
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), longest, cpu: now - began })}\n`);
    [longest, began, from] = [0, now, Date.now()];
    before = cpuMs();
  }
};
if (file) setInterval(tick, 1).unref();
