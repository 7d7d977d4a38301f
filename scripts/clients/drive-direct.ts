import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bad, good, type Cell } from './cell.ts';
import type { Drive } from './drive.ts';
import { prompt } from './drive-headless.ts';
import { asksInTerminal } from './drive-terminal.ts';
import { GREETING, ORIGINAL, OVERWRITTEN } from './stage.ts';
import { hasTerminal } from './terminal.ts';

const READ = 'direct-read';
const WRITE = 'direct-make-folder';
const DESTRUCTIVE = 'direct-replace-file';

/** The same connection with the address of direct mode: which names the client offers, and what runs without a person. */
export async function driveDirect(drive: Drive, writtenPaths: readonly string[]): Promise<Cell> {
  const { created, overwritten } = drive.files;
  rmSync(created, { recursive: true, force: true });
  writeFileSync(overwritten, ORIGINAL);
  const restore = useDirectAddress(drive, writtenPaths);
  try {
    const read = await attempt(drive, READ);
    const write = await attempt(drive, WRITE);
    const destructive = await attempt(drive, DESTRUCTIVE);
    const inTerminal = namesOf(drive) === 0 && (await hasTerminal());
    // Some clients hide in a run without a person what they would ask about.
    const asks = inTerminal ? await asksInTerminal(drive, DESTRUCTIVE) : undefined;
    const names = namesOf(drive);
    if (names === 0) return bad('no real names', read.ended);
    if (existsSync(created)) return bad('a write runs unasked');
    if (readFileSync(overwritten, 'utf8') === OVERWRITTEN) return bad('a destructive call runs unasked');
    const passes = read.result?.includes(GREETING) === true;
    const changes = `write ${write.words}, destructive ${destructive.words}`;
    const seen = asks === undefined ? '' : asks ? ' in a terminal, destructive asks' : ' in a terminal';
    return good(`${names} real names${seen}; headless: read ${passes ? 'passes' : read.words}, ${changes}`);
  } finally {
    restore();
  }
}

const namesOf = ({ model }: Drive): number =>
  [...model.offered].filter((name) => name.includes('files__')).length;

interface Attempt {
  readonly words: string;
  readonly result: string | undefined;
  readonly ended: string;
}

async function attempt(drive: Drive, step: string): Promise<Attempt> {
  const ended = await prompt(drive, [step]);
  const called = drive.model.decisions.some(({ answer }) => 'call' in answer);
  return { words: called ? 'refused' : 'not offered', result: drive.model.results.get(step), ended };
}

/** Changes the address in the files that `connect` wrote; the returned function writes them back. */
function useDirectAddress({ place, stage }: Drive, paths: readonly string[]): () => void {
  const address = `${stage.proxy().url}/mcp`;
  const before = paths.map(
    (path) => [join(place.home, path), readFileSync(join(place.home, path), 'utf8')] as const,
  );
  for (const [file, text] of before) writeFileSync(file, text.replaceAll(address, `${address}/direct`));
  return () => {
    for (const [file, text] of before) writeFileSync(file, text);
  };
}
