import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, Scale, Tally } from '../attacks/attack.ts';
import { PowerDisk, type Fate } from './power-disk.ts';
import { isWrite, NotTraced, record, type Recorded } from './power-record.ts';
import { layOut, createRecovery, startOn, type Found } from './power-recovery.ts';

const FATES: readonly Fate[] = ['dropped', 'torn', 'some', 'kept'];
const SIZES: Record<Scale, { calls: number; cuts: number; starts: number; fold: boolean }> = {
  quick: { calls: 40, cuts: 300, starts: 1, fold: false },
  full: { calls: 160, cuts: 3_000, starts: 10, fold: true },
};

export const powerLoss: Attack = {
  threat: 'F03',
  title: 'the power goes: only what was synced is left, or less than all of the rest',
  async run(tally, scale) {
    if (spawnSync('strace', ['-V']).status !== 0) return tally.notHere('strace is missing');
    const { calls, fold } = SIZES[scale];
    try {
      await replay(tally, scale, await record(calls, fold));
    } catch (error) {
      if (!(error instanceof NotTraced)) throw error;
      tally.notHere(error.message);
    }
  },
};

/** In memory where there is such a place: nothing of it has to outlive anything. */
function freshPlace(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return mkdtempSync('/dev/shm/mcpproxy-power-');
  } catch {
    return mkdtempSync(join(tmpdir(), 'mcpproxy-power-'));
  }
}

async function replay(tally: Tally, scale: Scale, recorded: Recorded): Promise<void> {
  const { cuts, starts } = SIZES[scale];
  const { events, before } = recorded;
  const home = freshPlace();
  const recover = createRecovery();
  const disk = new PowerDisk(before);
  const promised: Promised = { answered: new Set(), dispatched: new Set() };
  const tried: Record<string, number> = {};
  let [left, started] = [cuts, 0];
  try {
    for (const [index, event] of events.entries()) {
      disk.tell(event);
      if (event.kind === 'answer') promised.answered.add(event.nonce);
      if (event.kind === 'dispatch' && isWrite(event.nonce)) promised.dispatched.add(event.nonce);
      for (const fate of fatesAt(event.kind === 'answer', left / (events.length - index))) {
        const dataDir = layOut(home, disk.after(fate), recorded);
        const whole = started < starts && index > ((started + 1) * events.length) / (starts + 1);
        if (whole) started++;
        const found = whole ? await startOn(home) : await recover(dataDir);
        const wrong = wrongWith(found, promised);
        tally.held(
          wrong === undefined,
          `cut after event ${index} (${event.kind}), the rest ${fate}: ${wrong}`,
        );
        tried[fate] = (tried[fate] ?? 0) + 1;
        left--;
      }
    }
    const { answered } = promised;
    tally.held(answered.size === SIZES[scale].calls, `${answered.size} answers were seen`);
    const count = (kind: string) => events.filter((event) => event.kind === kind).length;
    tally.figure(
      `${count('write')} writes and ${count('sync')} syncs around ${answered.size} answers, cut ${cuts - left} times (unsynced ${JSON.stringify(tried)}), ${started} by a whole start: every answered call is there, every log intact`,
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** After an answer always the worst case; and so many others by chance that all cuts are made by the end. */
function fatesAt(answer: boolean, chance: number): Fate[] {
  const more = Math.floor(chance) + (Math.random() < chance % 1 ? 1 : 0);
  const others = Array.from({ length: more }, () => FATES[Math.floor(Math.random() * FATES.length)]!);
  return answer ? ['dropped', ...others] : others;
}

/** What anybody outside may rely on when the power goes. */
interface Promised {
  answered: Set<string>;
  /** Changes that may have happened. */
  dispatched: Set<string>;
}

function wrongWith({ verdict, statuses }: Found, { answered, dispatched }: Promised): string | undefined {
  if (verdict !== 'intact') return `the log is ${verdict}`;
  const lost = [...answered].find((nonce) => statuses.get(nonce) !== 'success');
  if (lost !== undefined) return `${lost} was answered and is ${statuses.get(lost) ?? 'not there'}`;
  const traceless = [...dispatched].find((nonce) => !statuses.has(nonce));
  return traceless === undefined ? undefined : `${traceless} was sent to the server and is not there`;
}
