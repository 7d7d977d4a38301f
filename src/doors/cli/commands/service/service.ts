import type { Command } from 'commander';
import { choice, define, type Bind } from '../../define.ts';
import { runInstall, type InstallFlags } from './service-install.ts';
import { runStatus } from './service-status.ts';
import { runUninstall } from './service-uninstall.ts';
import type { TargetFlags } from './find-target.ts';

const SCOPES = ['user', 'system'] as const;

export function service(bind: Bind): Command {
  return define('service', {
    summary: 'Run the proxy as a service that starts by itself',
    examples: ['mcpproxy service install --dry-run', 'mcpproxy service install', 'mcpproxy service status'],
    globals: ['output', 'config', 'dataDir'],
    subcommands: [install(bind), uninstall(bind), status(bind)],
  });
}

const scope = () =>
  choice('--scope <scope>', 'for you, from log-in, or for the machine, from boot', SCOPES).default('user');
const RUN_AS = [
  '--run-as <user>',
  'user of a system service (default on Linux: one that systemd makes)',
] as const;

function install(bind: Bind): Command {
  return define('install', {
    summary: 'Write the file of the service, and start it now and at each log-in or boot',
    description: `Write the file of the service, and start it now and at each log-in or boot: a systemd unit on Linux, a launchd property list on macOS, a task of the Task Scheduler on Windows. Running it again updates the file and restarts the service.

The service has the search path of your shell, but not its other variables. On Linux, put the variables that your configuration refers to into the file "environment" of the data directory, which only you can read. The log goes to the journal (systemd) or to service.log in the data directory; no key, token or log-in link is written to it.`,
    examples: [
      'mcpproxy service install --dry-run',
      'mcpproxy service install',
      'sudo mcpproxy service install --scope system --run-as alice --data-dir /home/alice/.mcpproxy',
    ],
    globals: ['output', 'config', 'dataDir'],
  })
    .addOption(scope())
    .option(...RUN_AS)
    .option('--dry-run', 'print the file and the commands; change nothing')
    .action(bind<InstallFlags>(runInstall));
}

function uninstall(bind: Bind): Command {
  return define('uninstall', {
    summary: 'Stop the service and remove its file; data and configuration stay',
    examples: ['mcpproxy service uninstall', 'sudo mcpproxy service uninstall --scope system'],
    globals: ['output', 'config', 'dataDir'],
  })
    .addOption(scope())
    .option(...RUN_AS)
    .option('--dry-run', 'print the commands; change nothing')
    .action(bind<InstallFlags>(runUninstall));
}

function status(bind: Bind): Command {
  return define('status', {
    summary: 'Show whether the service is installed, up to date and running',
    description:
      'Show whether the service is installed, up to date and running. Exits with code 7 if it does not run.',
    examples: ['mcpproxy service status', 'mcpproxy service status --scope system -o json'],
    globals: ['output', 'config', 'dataDir'],
  })
    .addOption(scope())
    .option(...RUN_AS)
    .action(bind<TargetFlags>(runStatus));
}
