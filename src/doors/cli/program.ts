import type { Command } from 'commander';
import { activity } from './commands/activity/activity.ts';
import { approvals } from './commands/approvals/approvals.ts';
import { call } from './commands/call.ts';
import { chat } from './commands/chat.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/config.ts';
import { connect } from './commands/connect/connect.ts';
import { disconnect } from './commands/connect/disconnect.ts';
import { db } from './commands/db/db.ts';
import { doctor } from './commands/doctor.ts';
import { importServers } from './commands/import/import.ts';
import { open } from './commands/open.ts';
import { serve, stdio, tasks } from './commands/serve.ts';
import { setup } from './commands/setup/setup.ts';
import { status } from './commands/status.ts';
import { tokens } from './commands/tokens.ts';
import { tools } from './commands/tools/tools.ts';
import { upstream } from './commands/upstream/upstream.ts';
import { addGlobals, define, type Bind } from './define.ts';

/** The command tree. Help, completion scripts and the reference page are generated from it. */
export function buildProgram(bind: Bind, version: string): Command {
  const program: Command = define('mcpproxy', {
    summary: 'One MCP endpoint for all your MCP servers',
    description:
      'One MCP endpoint for all your MCP servers: tool search, declared intent, approvals and a tamper-evident activity log.',
    examples: [
      'mcpproxy serve',
      'mcpproxy tools search "list tasks"',
      "mcpproxy call tool-read tasks:list_tasks --args '{}'",
    ],
    subcommands: [
      setup(bind),
      serve(bind),
      stdio(bind),
      tasks(bind),
      call(bind),
      chat(bind),
      tools(bind),
      upstream(bind),
      importServers(bind),
      connect(bind),
      disconnect(bind),
      activity(bind),
      approvals(bind),
      open(bind),
      tokens(bind),
      status(bind),
      doctor(bind),
      config(bind),
      db(bind),
      completion(bind, () => program),
    ],
  });
  program.version(version, '-V, --version', 'show version');
  program.helpCommand('help [command]', 'show help for a command');
  addGlobals(program);
  return program;
}
