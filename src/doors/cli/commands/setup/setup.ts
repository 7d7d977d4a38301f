import type { Command } from 'commander';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { hint, Interrupted, print, withPlace, withProxy, type Context, type Reached } from '../../context.ts';
import { wrapped } from '../../output/table.ts';
import { checked, choice, define, type Bind } from '../../define.ts';
import { browserStep } from './browser-step.ts';
import { connectStep } from './connect-step.ts';
import { dryRun } from './dry-run.ts';
import { importStep } from './import-step.ts';
import { policyStep, PRESETS } from './policy-step.ts';
import { proxyStep } from './proxy-step.ts';
import type { SetupFlags, StepDone, StepInput } from './step.ts';
import { undoSetup } from './undo.ts';

const STEPS = ['import', 'connect', 'policy', 'browser'] as const;
type StepName = (typeof STEPS)[number];

export function setup(bind: Bind): Command {
  return define('setup', {
    summary: 'Set everything up: servers, clients and policy',
    description:
      'Set everything up in one go: start the proxy in the background if none runs, import the servers of your clients, connect the clients (see "mcpproxy connect") and take those servers out of their files, choose which calls wait for a person, and open the web UI. On a terminal each step asks, and Enter accepts what is chosen; --yes does the same without a question: every server in the files of the user, every client that is installed, the servers out of the files of the clients (not with --keep-servers), and the policy "destructive" unless you have rules of your own. Every step can be skipped. Run it again at any time: what is done already stays, and servers that a client got since are moved too. --undo takes back what it did, and says what remains.',
    examples: ['mcpproxy setup', 'mcpproxy setup --dry-run', 'mcpproxy setup --undo'],
  })
    .option('--yes', 'do not ask: accept every default, as Enter would at each question')
    .option('--dry-run', 'show what it would do; nothing is changed')
    .option('--skip <steps>', `steps to leave out, comma-separated: ${STEPS.join(', ')}`)
    .addOption(choice('--policy <preset>', 'which calls wait for a person', Object.keys(PRESETS)))
    .option('--keep-servers', 'leave the servers in the files of the clients too')
    .addOption(
      checked(
        '--listen <host:port>',
        'address of the proxy, if setup starts it (default: 127.0.0.1:8080; env: MCPPROXY_LISTEN)',
        ({ Config }) => Config.shape.listen,
      ),
    )
    .option('--undo', 'take back what setup did here')
    .action(bind<SetupFlags>(run));
}

async function run(context: Context, flags: SetupFlags): Promise<number> {
  const { io, runtime, place } = context;
  if (flags.undo) return undoSetup(context);
  const skipped = skippedSteps(flags.skip);
  if (flags.dryRun) return dryRun(context, flags, skipped);
  if (!flags.yes && (!io.terminal.in || !io.terminal.err))
    throw new ProxyError(
      'USAGE',
      'setup asks questions. Run it on a terminal, or with --yes to accept the defaults',
    );
  const started = await proxyStep(context, flags.listen);
  const done: StepDone[] = [started];
  tell(context, started, 1);
  try {
    await withProxy(context, 'daemon', async (reached) => {
      const state = await runtime.setup.read(place);
      state.started = state.started === true || started.result.started;
      for (const name of STEPS) {
        const step = skipped.has(name)
          ? { step: TITLES[name], lines: ['skipped'], result: null }
          : await RUN[name](context, reached, { flags, state });
        // After each step, so that an interruption leaves nothing that cannot be undone.
        await runtime.setup.write(place, state);
        done.push(step);
        tell(context, step, done.length);
      }
    });
  } catch (error) {
    if (error instanceof Interrupted) tellInterrupted(context, done.length - 1, skipped);
    throw error;
  }
  await print(context, { steps: done.map(({ step, result }) => ({ step, result })) }, () => '');
  hint(context, 'To take everything back: mcpproxy setup --undo');
  return done.some(({ failed }) => failed) ? EXIT.general : EXIT.ok;
}

const RUN: Record<StepName, (context: Context, reached: Reached, input: StepInput) => Promise<StepDone>> = {
  import: importStep,
  connect: connectStep,
  policy: policyStep,
  browser: browserStep,
};

const TITLES: Record<StepName, string> = {
  import: 'Servers',
  connect: 'Clients',
  policy: 'Policy',
  browser: 'Browser',
};

function skippedSteps(text = ''): Set<string> {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.find((name) => !STEPS.some((step) => step === name));
  if (unknown === undefined) return new Set(names);
  throw new ProxyError('USAGE', `--skip: there is no step '${unknown}'. Steps: ${STEPS.join(', ')}`);
}

/** Lines longer than the terminal go on below, at a word; one with a longer word stays whole, as a link in two parts leads nowhere. */
function tell({ io, output, style }: Context, { step, lines }: StepDone, number: number): void {
  if (output !== 'table') return;
  const room = style.width - INDENT.length;
  const shown = lines.flatMap((line) => wrappedLine(line, room));
  void io.out(
    `${style.colors.bold(`${number}. ${step}`)}\n${shown.map((line) => `${INDENT}${line}\n`).join('')}`,
  );
}

const INDENT = '   ';

function wrappedLine(line: string, room: number): string[] {
  const text = line.trimStart();
  const before = line.slice(0, line.length - text.length);
  const width = room - before.length - INDENT.length;
  if (text.split(' ').some((word) => word.length > width)) return [line];
  const [first = '', ...more] = wrapped(text, width);
  return [`${before}${first}`, ...more.map((rest) => `${before}${INDENT}${rest}`)];
}

/** After Ctrl-C: what is done, what was begun and what remains, and the ways on and back. */
function tellInterrupted({ io, place }: Context, at: number, skipped: ReadonlySet<string>): void {
  const titles = (names: readonly StepName[]) =>
    names.filter((name) => !skipped.has(name)).map((name) => TITLES[name]);
  const remaining = titles(STEPS.slice(at + 1));
  const lines = [
    'Interrupted.',
    `Done:      ${['Proxy', ...titles(STEPS.slice(0, at))].join(', ')}`,
    `Begun:     ${titles(STEPS.slice(at, at + 1)).join('') || 'nothing more'}`,
    `Not begun: ${remaining.join(', ') || 'nothing'}`,
    'To go on: mcpproxy setup',
    'To take back what was done: mcpproxy setup --undo',
  ];
  io.err(`\n${withPlace(place, lines.join('\n'))}\n`);
}
