import type { Command } from 'commander';
import fc, { type Arbitrary } from 'fast-check';
import { buildProgram } from '../../src/doors/cli/program.ts';
import { routes } from '../../src/contract/routes/api.ts';
import { EXIT, ProxyError } from '../../src/contract/errors.ts';
import { cli } from '../fixtures/fake-cli.ts';
import { json, text } from './arbitraries.ts';
import { fuzz } from './cases.ts';
import { answered } from './in-time.ts';

interface Known {
  path: string[];
  flags: string[];
}

function commandsOf(command: Command, path: string[] = []): Known[] {
  const flags = command.options.flatMap(({ short, long }) =>
    [short, long].filter((flag) => flag !== undefined),
  );
  return [
    { path, flags: ['-h', ...flags] },
    ...command.commands.flatMap((each) => commandsOf(each, [...path, each.name()])),
  ];
}
const commands = commandsOf(await buildProgram(() => async () => undefined, '0'));

/** An argument cannot hold NUL; and nothing here names a file that exists. */
const word: Arbitrary<string> = fc.oneof(
  text.map((given) => given.replaceAll('\0', '').replace(/^@/, '')),
  fc.constantFrom(
    '-',
    '--',
    '-o',
    'json',
    'yaml',
    '30s',
    '7d',
    '10',
    '-1',
    'read',
    'up:tool',
    '{}',
    'all',
    '2026-01-01',
  ),
);
const line = fc.constantFrom(...commands).chain(({ path, flags }) =>
  fc
    .array(
      fc.oneof(
        word,
        fc.tuple(fc.constantFrom(...flags), word).map(([flag, value]) => [flag, value]),
        fc.tuple(fc.constantFrom(...flags), word).map(([flag, value]) => `${flag}=${value}`),
      ),
      { maxLength: 5 },
    )
    .map((rest) => [...path, ...rest.flat()]),
);

const EXITS: readonly number[] = Object.values(EXIT);

const refuse = () => Promise.reject(new ProxyError('NOT_FOUND', 'not here'));
const answers = Object.fromEntries(Object.keys(routes).map((name) => [name, refuse]));
const runtime = {
  serve: refuse,
  stdio: refuse,
  tasks: refuse,
  findServers: refuse,
  service: refuse,
  stop: refuse,
  db: { migrate: refuse, backup: refuse, restore: refuse },
  config: { paths: refuse, show: refuse, validate: refuse },
};

fuzz('command line: arguments', fc.tuple(line, json), async ([argv, stdin]) => {
  const run = cli(argv, { answers, runtime, stdin: JSON.stringify(stdin), env: {} });
  const { code, stderr, stdout } = await answered(run, argv.join(' '));
  if (!EXITS.includes(code)) throw new Error(`exit code ${code}`);
  if (/INTERNAL/.test(stderr + stdout)) throw new Error(`something broke inside: ${stderr}`);
});
