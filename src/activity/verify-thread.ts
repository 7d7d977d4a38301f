import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openSealedReader } from './sealed-reader.ts';
import { startHelper, type HelperMessage, type ThreadWork } from './verify-threads.ts';
import { readable, verifyInSegments, type FileToVerify } from './verify.ts';
import { walkOne, type SharedWalk } from './verify-stretch.ts';

// Verifies a long log away from the calls. One thread puts the result together; it starts another one that takes its share of the reading.

const BELOW_CALLS = 10;
// On Linux this is about the thread alone; elsewhere it would slow the whole process down.
if (process.platform === 'linux') setPriority(BELOW_CALLS);

const work = workerData as ThreadWork;
const parent = parentPort!;
if (work.role === 'all') parent.postMessage(await verifyAll(work.options), []);
else help(work.file);

async function verifyAll(options: FileToVerify) {
  const helper = startHelper(options.file);
  try {
    return await readable(() => verifyInSegments(options, helper));
  } finally {
    await helper.stop();
  }
}

function help(file: string): void {
  const reader = openSealedReader(file);
  const say = (message: HelperMessage) => parent.postMessage(message, []);
  parent.on('message', (walk: SharedWalk) => {
    while (walkOne(reader, walk, (number, stretch) => say({ number, stretch })));
    say(null);
  });
}
