import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openSealedReader } from '../export/sealed-reader.ts';
import { type StopFlag, createStopFlag } from './stop.ts';
import { startHelper, type HelperMessage, type ThreadWork } from './verify-threads.ts';
import { orUnknownVerdict, verifyInSegments } from './verify.ts';
import type { FileToVerify } from './verification.ts';
import { verifyNextSegment, type SharedWalk } from './verify-segment.ts';

// Verifies a long log outside of the main thread. One thread produces the result; it starts another one that shares the work.

const BELOW_CALLS = 10;
// On Linux this affects only the thread; elsewhere it would slow down the whole process.
if (process.platform === 'linux') setPriority(BELOW_CALLS);

const work = workerData as ThreadWork;
const parent = parentPort!;
const flag = createStopFlag(work.stop);
if (work.role === 'all') parent.postMessage(await verifyAll(work.options, flag), []);
else help(work.file, flag);

async function verifyAll(options: FileToVerify, signal: StopFlag) {
  const helper = startHelper(options.file, signal);
  try {
    return await orUnknownVerdict(() => verifyInSegments({ ...options, signal }, helper));
  } finally {
    await helper.stop();
  }
}

function help(file: string, signal: StopFlag): void {
  const reader = openSealedReader(file);
  const say = (message: HelperMessage) => parent.postMessage(message, []);
  parent.on('message', (walk: SharedWalk | null) => {
    if (walk === null) {
      reader.close();
      parent.close();
      return;
    }
    try {
      while (verifyNextSegment({ reader, signal }, walk, (number, segment) => say({ number, segment })));
    } catch {
      // Stopped or unreadable: the thread that produces the result fails the same way.
    }
    say(null);
  });
}
