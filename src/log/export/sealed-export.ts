import { LOG_SPAN } from '../chain/chain.ts';
import { openSealedReader, type SealedReader } from './sealed-reader.ts';
import type { ChainItem } from '../verify/check-chain.ts';
import { headLine, logLines, signingKeys } from './sealed-line.ts';

const SLICE = 200;

/**
 * The log as lines of JSON, for a verifier that has nothing but this file; what each line holds, `sealed-line.ts` says. The log is that of
 * the moment in which the first line is asked for.
 */
export async function* sealedLines(file: string): AsyncGenerator<string> {
  const reader = openSealedReader(file);
  try {
    reader.hold();
    const logs = reader.logs();
    const keys = await signingKeys(logs, async ({ log }) => reader.statements(log));
    yield headLine(reader.countRecords(), keys);
    for (const log of logs) yield* logLines(log, itemsOf(reader, log.log));
  } finally {
    reader.close();
  }
}

async function* itemsOf(reader: SealedReader, log: number): AsyncGenerator<ChainItem> {
  for (let after = -1; ;) {
    const items = reader.items(log, { after, upTo: LOG_SPAN, limit: SLICE });
    yield* items;
    if (items.length < SLICE) return;
    after = items.at(-1)!.n;
    await new Promise(setImmediate);
  }
}
