import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bad, good, type Cell } from './cell.ts';
import { connect, connectCell, disconnect, writtenPaths } from './connection.ts';
import type { Drive } from './drive.ts';
import { driveDirect } from './drive-direct.ts';
import { driveHeadless } from './drive-headless.ts';
import { driveOffers } from './drive-offers.ts';
import { driveTerminal } from './drive-terminal.ts';
import { startModel } from './model/server.ts';
import type { ClientProgram, Place } from './program.ts';
import { callsOn, makeFiles, startStage } from './stage.ts';

export const STEPS = [
  'connect',
  'list',
  'read',
  'write',
  'destructive',
  'held',
  'restart',
  'direct',
  'prompt',
  'resource',
  'elicitation',
  'disconnect',
] as const;
export type Step = (typeof STEPS)[number];
export type Cells = Readonly<Record<Step, Cell>>;

/** How long a call has waited at least before it is approved: longer than the proxy keeps one request open. */
const APPROVE_AFTER_MS = 5000;
const TOOLS = [
  'retrieve_tools',
  'describe_tool',
  'call_tool_read',
  'call_tool_write',
  'call_tool_destructive',
];

export interface DriveOptions {
  readonly path: string;
  readonly inTerminal: boolean;
  /** Everything that a run writes is below it. */
  readonly runFolder: string;
}

/** Takes one client program through all steps, in a home of its own. */
export async function driveClient(program: ClientProgram, options: DriveOptions): Promise<Cells> {
  const base = join(options.runFolder, program.id);
  mkdirSync(base);
  const closers: (() => Promise<void>)[] = [];
  try {
    const files = makeFiles(base);
    const script = callsOn(files);
    const stage = await startStage(files, join(base, 'proxy'));
    closers.push(() => stage.close());
    let restarts = 0;
    const model = await startModel({
      script,
      async beforeAnswer({ step, again }) {
        if (again) await stage.approve();
        if (step === 'read-again' && restarts++ === 0) await stage.restart();
      },
    });
    closers.push(() => model.close());
    const timer = setInterval(() => void stage.approve(APPROVE_AFTER_MS).catch(() => 0), 1000);
    closers.push(async () => clearInterval(timer));
    const place = makePlace(program, base, model.url);
    const drive: Drive = { program, path: options.path, place, files, stage, model };
    return await runSteps(drive, options.inTerminal);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

function makePlace(program: ClientProgram, base: string, modelUrl: string): Place {
  const place = { home: join(base, 'home'), work: join(base, 'work'), modelUrl };
  mkdirSync(place.home);
  mkdirSync(place.work);
  for (const [path, text] of Object.entries(program.files(place))) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), text);
  }
  return place;
}

async function runSteps(drive: Drive, inTerminal: boolean): Promise<Cells> {
  const connection = await connect(drive);
  if ('failed' in connection) return notReached(connection.failed);
  const headless = await driveHeadless(drive);
  const terminal = inTerminal ? await driveTerminal(drive) : undefined;
  const missing = TOOLS.filter((tool) => ![...drive.model.offered].some((name) => name.endsWith(tool)));
  return {
    connect: connectCell(connection),
    list: missing.length === 0 ? good('five tools') : bad(`not offered: ${missing.join(', ')}`),
    read: headless.read,
    write: bothOf(terminal?.write, headless.write),
    destructive: bothOf(terminal?.destructive, headless.destructive),
    held: headless.held,
    restart: headless.restart,
    ...(await driveOffers(drive, inTerminal)),
    direct: await driveDirect(drive, writtenPaths(connection)),
    disconnect: await disconnect(drive, connection),
  };
}

function notReached(failed: string): Cells {
  const rest = STEPS.map((step) => [step, bad('not reached')] as const);
  return { ...(Object.fromEntries(rest) as Record<Step, Cell>), connect: bad('fails', failed) };
}

function bothOf(terminal: Cell | undefined, headless: Cell): Cell {
  const seen = terminal ?? { held: true, says: 'no terminal', detail: '' };
  const detail = [seen.detail, headless.detail].filter(Boolean).join('\n');
  return { held: seen.held && headless.held, says: `${seen.says}; headless: ${headless.says}`, detail };
}
