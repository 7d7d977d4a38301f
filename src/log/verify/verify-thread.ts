import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openSealedReader } from '../export/sealed-reader.ts';
import { type StopFlag, createStopFlag } from './stop.ts';
import { startHelper, type HelperMessage, type ThreadWork } from './verify-threads.ts';
import { orUnknownVerdict, verifyInSegments } from './verify.ts';
import type { FileToVerify } from './verification.ts';
import { verifyNextSegment, type SharedWalk } from './verify-segment.ts';

// Verifies a long log away from the calls. One thread puts the result together; it starts another one that takes its share of the reading.

const BELOW_CALLS = 10;
// On Linux this is about the thread alone; elsewhere it would slow the whole process down.
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
      // Stopped, or it cannot be read: whoever puts the result together meets the same.
    }
    say(null);
  });
}
