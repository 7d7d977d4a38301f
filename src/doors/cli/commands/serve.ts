import type { Command } from 'commander';
import type { LogLevel } from '../../../lib/log.ts';
import { EXIT } from '../../../contract/errors.ts';
import { print } from '../context.ts';
import { checked, choice, define, type Bind } from '../define.ts';

/** Listed here as well as in lib/log.ts, because a value from there would load the logger before `--help` is printed. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly LogLevel[];

interface ServeFlags {
  listen?: string;
  workers?: string;
  logLevel?: LogLevel;
  mcpAuth: boolean;
}

export function serve(bind: Bind): Command {
  return define('serve', {
    summary: 'Run the proxy: MCP at /mcp, REST at /api/v1',
    examples: [
      'mcpproxy serve',
      'mcpproxy serve --listen 127.0.0.1:9090 --log-level debug',
      'mcpproxy serve --data-dir ./data --workers auto',
    ],
    globals: ['config', 'dataDir'],
  })
    .addOption(
      checked(
        '--listen <host:port>',
        'address to listen on (default: 127.0.0.1:8080; env: MCPPROXY_LISTEN)',
        ({ Config }) => Config.shape.listen,
      ),
    )
    .addOption(
      checked(
        '--workers <n>',
        'processes that share the port, or "auto" for one per core; more than one needs PostgreSQL (default: 1)',
        ({ WorkerCount }) => WorkerCount,
      ),
    )
    .addOption(choice('--log-level <level>', 'minimum level of the log on stderr', LEVELS))
    .option('--no-mcp-auth', 'allow local programs to use /mcp without a key or token')
    .action(
      bind<ServeFlags>(({ runtime, place }, { listen, workers, logLevel, mcpAuth }) =>
        runtime.serve({
          ...place,
          ...(listen && { listen }),
          ...(workers && { workers: workers === 'auto' ? workers : Number(workers) }),
          ...(logLevel && { logLevel }),
          ...(!mcpAuth && { mcpAuth: false }),
        }),
      ),
    );
}

export function stop(bind: Bind): Command {
  return define('stop', {
    summary: 'Stop the proxy that runs on the data directory',
    description:
      'Stop the proxy that runs on the data directory, wherever it was started. Calls in flight may finish first. Exit code 0: it has stopped; 7: none ran. A service manager may start it again: stop it there.',
    examples: ['mcpproxy stop', 'mcpproxy stop --data-dir ./data -o json'],
    globals: ['output', 'config', 'dataDir'],
  }).action(
    bind(async (context) => {
      const stopped = await context.runtime.stop(context.place);
      await print(context, { stopped: stopped !== undefined, ...stopped }, () =>
        stopped ? `stopped  process ${stopped.pid}\n` : 'No proxy runs on this data directory.\n',
      );
      return stopped ? EXIT.ok : EXIT.noDaemon;
    }),
  );
}

export function stdio(bind: Bind): Command {
  return define('stdio', {
    summary: 'Serve MCP over stdin and stdout, for clients that start a command',
    description:
      'Serve MCP over stdin and stdout, for clients that start a command. If MCPPROXY_TOKEN contains an agent token, the client can call what the token allows, otherwise everything. With --url the command forwards all messages to that daemon and needs neither its files nor its API key.',
    examples: [
      'mcpproxy stdio',
      'mcpproxy stdio --config ./mcp_config.json',
      'mcpproxy stdio --url http://127.0.0.1:8080',
    ],
    globals: ['config', 'dataDir', 'url'],
  }).action(bind(({ runtime, place }) => runtime.stdio(place)));
}

export function tasks(bind: Bind): Command {
  return define('tasks', {
    summary: 'Run only the built-in server "tasks", as an MCP server over stdin and stdout',
    examples: ['mcpproxy tasks', 'mcpproxy tasks --data-dir ./data'],
    globals: ['config', 'dataDir'],
  }).action(bind(({ runtime, place }) => runtime.tasks(place)));
}
