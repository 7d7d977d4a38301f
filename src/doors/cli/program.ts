import type { Command } from 'commander';
import { addGlobals, define, GLOBALS_WITH_VALUE, type Bind } from './define.ts';

type Make = (bind: Bind, program: () => Command) => Command;

/** The commands in the order of the help. Each is loaded when it is needed. */
const COMMANDS: Readonly<Record<string, () => Promise<Make>>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  stdio: async () => (await import('./commands/serve.ts')).stdio,
  stop: async () => (await import('./commands/serve.ts')).stop,
  tasks: async () => (await import('./commands/serve.ts')).tasks,
  call: async () => (await import('./commands/call.ts')).call,
  chat: async () => (await import('./commands/chat.ts')).chat,
  tools: async () => (await import('./commands/tools/tools.ts')).tools,
  prompts: async () => (await import('./commands/items/prompts.ts')).prompts,
  skills: async () => (await import('./commands/items/skills.ts')).skills,
  resources: async () => (await import('./commands/items/resources.ts')).resources,
  upstream: async () => (await import('./commands/upstream/upstream.ts')).upstream,
  import: async () => (await import('./commands/import/import.ts')).importServers,
  setup: async () => (await import('./commands/setup/setup.ts')).setup,
  connect: async () => (await import('./commands/connect/connect.ts')).connect,
  disconnect: async () => (await import('./commands/connect/disconnect.ts')).disconnect,
  activity: async () => (await import('./commands/activity/activity.ts')).activity,
  approvals: async () => (await import('./commands/approvals/approvals.ts')).approvals,
  open: async () => (await import('./commands/open.ts')).open,
  tokens: async () => (await import('./commands/tokens.ts')).tokens,
  status: async () => (await import('./commands/status.ts')).status,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  service: async () => (await import('./commands/service/service.ts')).service,
  config: async () => (await import('./commands/config.ts')).config,
  db: async () => (await import('./commands/db/db.ts')).db,
  completion: async () => (await import('./commands/completion.ts')).completion,
};

/**
 * The command tree. Help, completion scripts and the reference page are generated from it. For a command line that names a command the
 * tree has that command alone.
 */
export async function buildProgram(bind: Bind, version: string, argv?: readonly string[]): Promise<Command> {
  const makers = await Promise.all(loadersFor(argv).map((load) => load()));
  const program: Command = define('mcpproxy', {
    summary: 'One MCP endpoint for all your MCP servers',
    description:
      'One MCP endpoint for all your MCP servers: tool search, declared intent, approvals and a tamper-evident activity log.',
    examples: [
      'mcpproxy serve',
      'mcpproxy tools search "list tasks"',
      "mcpproxy call tool-read tasks:list_tasks --args '{}'",
    ],
    subcommands: makers.map((make) => make(bind, () => program)),
  });
  program.version(version, '-V, --version', 'show version');
  program.helpCommand('help [command]', 'show help for a command');
  addGlobals(program);
  return program;
}

/** All commands where help, a suggestion or a completion script may need them. */
function loadersFor(argv: readonly string[] = []): Array<() => Promise<Make>> {
  const word = commandWord(argv);
  if (word === '--version' || word === '-V') return [];
  const named = word !== undefined && word !== 'completion' && Object.hasOwn(COMMANDS, word);
  return named ? [COMMANDS[word]!] : Object.values(COMMANDS);
}

/** The first word that is neither a global flag nor its value. */
function commandWord(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (GLOBALS_WITH_VALUE.has(word)) index += 1;
    else if (!/^--[a-z-]+=/.test(word)) return word;
  }
  return undefined;
}
