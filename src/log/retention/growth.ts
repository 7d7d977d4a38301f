import type { Config } from '../../contract/config.ts';

/** Retention looks at the log again when it has grown by one part in so many of a limit. */
const PARTS = 50;
const MB = 1_048_576;
const MIN_RECORDS = 100;

/** Calls `look` whenever the log has grown by a part of its limits. To be called with the bytes of each write. */
export function createGrowth(
  settings: () => Pick<Config['activity'], 'max_records' | 'max_size_mb'>,
  look: () => void,
): (bytes: number) => void {
  const grown = { bytes: 0, records: 0 };
  return (bytes) => {
    grown.bytes += bytes;
    grown.records++;
    const { max_records: maxRecords, max_size_mb: maxMb } = settings();
    const isDue =
      grown.bytes * PARTS >= Math.max(PARTS, maxMb) * MB ||
      grown.records >= Math.max(MIN_RECORDS, maxRecords / PARTS);
    if (!isDue) return;
    Object.assign(grown, { bytes: 0, records: 0 });
    setImmediate(look);
  };
}
