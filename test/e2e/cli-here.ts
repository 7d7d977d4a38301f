import { run } from '../../src/doors/cli/run.ts';
import { connect } from '../../src/start/connect/connect.ts';
import { dbBackup, dbRestore } from '../../src/start/backup/index.ts';
import { clientConnect } from '../../src/start/clients/client-connect.ts';
import { removeSecrets, secretFiles } from '../../src/start/clients/imported-secrets.ts';
import { fileSettings, readSetup, writeSetup } from '../../src/start/clients/setup-state.ts';
import { stopDaemon } from '../../src/start/stop-daemon.ts';
import { proveConnection } from '../../src/start/clients/prove-connection.ts';
import { findServers } from '../../src/start/find-servers.ts';
import { dbMigrate } from '../../src/start/db-migrate.ts';
import { configPaths, configShow, configValidate } from '../../src/start/config-commands.ts';
import type { CliResult } from './run-cli.ts';

const unused = () => Promise.reject(new Error('not used here'));

/**
 * The same command line with everything real behind it but without a process of its own, as most of the time of a command is the start
 * of its process. For tables of many commands; what depends on the process is tested with one.
 */
export async function runHere(args: string[], env: Record<string, string> = {}): Promise<CliResult> {
  const result: CliResult = { code: null, stdout: '', stderr: '' };
  result.code = await run(
    args,
    {
      version: '0.0.0',
      serve: unused,
      stdio: unused,
      tasks: unused,
      connect,
      findServers,
      clients: { ...clientConnect, prove: proveConnection },
      service: unused,
      setup: { start: unused, read: readSetup, write: writeSetup, fileSettings, secretFiles, removeSecrets },
      stop: stopDaemon,
      db: { migrate: dbMigrate, backup: dbBackup, restore: dbRestore },
      config: { paths: configPaths, show: configShow, validate: configValidate },
    },
    {
      out: async (text) =>
        void (result.stdout += typeof text === 'string' ? text : Buffer.from(text).toString()),
      err: (text) => void (result.stderr += text),
      stdin: (async function* () {})(),
      env,
      cwd: process.cwd(),
      terminal: { in: false, out: false, err: false, columns: 80 },
      onInterrupt: () => () => undefined,
      ask: unused,
      askSecret: unused,
      key: unused,
      select: unused,
      lines: async function* () {},
      now: () => Date.now(),
    },
  );
  return result;
}
