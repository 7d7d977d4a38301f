import { LOG_SPAN } from '../chain/chain.ts';
import { openSealedReader, type SealedReader } from './sealed-reader.ts';
import { entryLine, headLine, logLine, signingKeys } from './sealed-line.ts';

const SLICE = 200;

/** The log as lines of JSON, for a verifier that has nothing but this file; what each line holds, `sealed-line.ts` says. */
export async function* sealedLines(file: string): AsyncGenerator<string> {
  const reader = openSealedReader(file);
  try {
    reader.hold();
    const logs = reader.logs();
    const keys = await signingKeys(logs, async ({ log }) => reader.statements(log));
    yield headLine(reader.countRecords(), keys);
    for (const log of logs) {
      yield logLine(log);
      yield* entriesOf(reader, log.log);
    }
  } finally {
    reader.close();
  }
}

async function* entriesOf(reader: SealedReader, log: number): AsyncGenerator<string> {
  for (let after = -1; ;) {
    const items = reader.items(log, after, LOG_SPAN, SLICE);
    for (const item of items) yield entryLine(item);
    if (items.length < SLICE) return;
    after = items.at(-1)!.n;
    await new Promise(setImmediate);
  }
}
