import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MAIN } from '../test/e2e/start-proxy.ts';
import {
  callOf,
  connectClaudeCode,
  connectInspector,
  connectPython,
  connectSdk,
  type BalancedClient,
  type Endpoint,
  type Operation,
} from './balanced/clients.ts';
import { startBalancedStage, type BalancedStage } from './balanced/stage.ts';
import { buildEarlier } from './build-earlier.ts';
import { cacheFolder, install } from './clients/install.ts';
import { endWithOutside, runFolderInside, runInside, wallCommand } from './clients/loopback-only.ts';
import { claudeCode } from './clients/programs/claude-code.ts';
import { installPython } from './parity/install-python.ts';

// Real clients of both eras through a balancer without stickiness before three proxies on one PostgreSQL: each connects, calls, has a call held
// that is approved at another proxy, goes on after a proxy was restarted, and nothing runs twice. A client that cannot be had is named and makes
// the exit code 3; 0: all held, 1: one did not.
//
//   npm run balanced
//   npm run balanced -- --earlier REV    two of the proxies are of this earlier commit, and are restarted as such; then they are upgraded

const { values } = parseArgs({ options: { earlier: { type: 'string' } } });
const earlier = values.earlier === undefined ? MAIN : buildEarlier(values.earlier);
const PYTHON = { newer: 'mcp==2.3.0', older: 'mcp==1.30.0' };

interface Call {
  operation: Operation;
  text: string;
}
type Connect = (endpoint: Endpoint, calls: readonly Call[]) => Promise<BalancedClient>;

const OPERATIONS: readonly Operation[] = ['read', 'read', 'write', 'destructive', 'read', 'read', 'write'];

/** False where the program cannot be had. */
const had = (path: Promise<string>): Promise<string | false> => path.catch(() => false);
const [newer, older, claude] = await Promise.all([
  had(installPython([PYTHON.newer])),
  had(installPython([PYTHON.older])),
  had(install(claudeCode)),
]);
const CLIENTS: ReadonlyArray<readonly [label: string, connect: Connect | false]> = [
  ['TypeScript SDK 1.x, 2025', (to) => connectSdk('SDK 1.x', to)],
  ['TypeScript SDK 2, 2025', (to) => connectSdk('2025 (legacy)', to)],
  ['TypeScript SDK 2, 2026', (to) => connectSdk('2026-07-28', to)],
  [`Python ${PYTHON.older}, 2025`, older !== false && ((to) => connectPython(older, '1', to))],
  [`Python ${PYTHON.newer}, 2025`, newer !== false && ((to) => connectPython(newer, 'legacy', to))],
  [`Python ${PYTHON.newer}, 2026`, newer !== false && ((to) => connectPython(newer, 'auto', to))],
  ['Inspector, 2025', (to) => connectInspector('legacy', to)],
  ['Inspector, 2026', (to) => connectInspector('auto', to)],
  [
    `Claude Code ${claudeCode.version}`,
    claude !== false && ((to, calls) => connectClaudeCode(claude, to, calls)),
  ],
];

async function drive(stage: BalancedStage, label: string, connect: Connect): Promise<string> {
  const home = join(runFolderInside() ?? cacheFolder(), label.replaceAll(/\W+/g, '-'));
  mkdirSync(home, { recursive: true });
  const calls = OPERATIONS.map((operation, index) => ({ operation, text: `${label}, call ${index}` }));
  stage.reached();
  const client = await connect({ ...stage, home }, calls);
  try {
    for (const { operation, text } of calls) {
      const isHeld = operation === 'destructive';
      const answered = client.call(operation, text);
      if (isHeld) await stage.approveElsewhere(text);
      const answer = await answered;
      if (!answer.includes(text)) throw new Error(`${operation}: ${answer.slice(0, 600)}`);
      if (stage.runsOf(text) !== 1) throw new Error(`${text} ran ${stage.runsOf(text)} times`);
      if (isHeld) await stage.restartOne();
    }
  } finally {
    await client.close();
  }
  return `${calls.length} calls at ${stage.reached().length} proxies, held, approved at another, restart, none ran twice`;
}

const FORBIDDEN = 'up:writer_not_destructive';

/** What one proxy forbids, the others refuse, whichever version they are; a token that one revokes is refused by all; the logs verify. */
async function checkTogether({ proxies }: BalancedStage): Promise<void> {
  const at = (index: number) => proxies[index % proxies.length]!;
  for (let index = 0; index < proxies.length; index++) {
    const body = { operation: 'destructive' } as const;
    await at(index).rest.request('setOperation', { name: FORBIDDEN, body });
    const { arguments: args } = callOf('write', 'forbidden');
    const called = await at(index + 1)
      .rest.request('callTool', {
        body: {
          tool_variant: 'call_tool_write',
          name: args.name,
          args: args.args,
          intent: { operation_type: 'write' },
        },
      })
      .then(
        () => 'ran',
        (error: unknown) => String(error),
      );
    if (!called.includes('destructive'))
      throw new Error(`proxy ${index} forbids it, and the next one says: ${called}`);
    await at(index + 2).rest.request('clearOperation', { name: FORBIDDEN });
  }
  for (const { rest } of proxies) {
    const { verdict, problem } = await rest.request('verifyActivity', {});
    if (verdict !== 'intact') throw new Error(`the log is ${verdict}: ${JSON.stringify(problem)}`);
  }
  console.log('Each proxy refuses what another one forbids, and finds the logs of all intact: held');
}

async function driveAll(): Promise<number> {
  endWithOutside();
  const stage = await startBalancedStage([earlier, MAIN, earlier]);
  let code = 0;
  try {
    for (const [label, connect] of CLIENTS)
      if (!connect) {
        console.log(`${label}: NOT CHECKED, it cannot be installed`);
        code ||= 3;
      } else
        await drive(stage, label, connect).then(
          (done) => console.log(`${label}: held; ${done}`),
          (error: unknown) => {
            console.log(`${label}: NOT HELD: ${String(error)}`);
            code = 1;
          },
        );
    await checkTogether(stage);
    if (earlier === MAIN) return code;
    for (let i = 0; i < 3; i++) await stage.restartOne(MAIN);
    await checkTogether(stage);
    console.log('The earlier proxies were upgraded: held');
  } finally {
    await stage.close();
  }
  return code;
}

async function driveInside(): Promise<number> {
  const runFolder = mkdtempSync(join(cacheFolder(), 'balanced-'));
  try {
    const wall = await wallCommand();
    if (wall) return await runInside(wall, runFolder);
    console.log('NOT CHECKED: programs of others are run only where they can be kept from the network');
    return 3;
  } finally {
    rmSync(runFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

process.exit(runFolderInside() === undefined ? await driveInside() : await driveAll());
