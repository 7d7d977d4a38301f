#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processIo } from './doors/cli/io.ts';
import { run } from './doors/cli/run.ts';
import type { ClientRuntime, Runtime } from './doors/cli/runtime.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The files of client programs, and the check of a connection. */
function lazyClients(): ClientRuntime {
  const files = async () => (await import('./start/clients/client-connect.ts')).clientConnect;
  return {
    find: async (place) => (await files()).find(place),
    plan: async (...args) => (await files()).plan(...args),
    apply: async (...args) => (await files()).apply(...args),
    status: async (place) => (await files()).status(place),
    disconnect: async (...args) => (await files()).disconnect(...args),
    print: async (...args) => (await files()).print(...args),
    prove: async (...args) => (await import('./start/clients/prove-connection.ts')).proveConnection(...args),
  };
}

/** What is behind each command is loaded when it is used, so that help and completion come at once. */
const runtime: Runtime = {
  version,
  serve: async (options) => (await import('./start/serve.ts')).serve(options),
  stdio: async (place) => (await import('./start/stdio.ts')).stdio(place),
  tasks: async (place) => (await import('./start/tasks.ts')).tasks(place),
  stop: async (place) => (await import('./start/stop-daemon.ts')).stopDaemon(place),
  connect: async (place, how, signal) =>
    (await import('./start/connect/connect.ts')).connect(place, how, signal),
  findServers: async (source) => (await import('./start/find-servers.ts')).findServers(source),
  clients: lazyClients(),
  service: async () => (await import('./start/service.ts')).serviceRuntime,
  setup: {
    start: async (...args) => (await import('./start/clients/background.ts')).startInBackground(...args),
    read: async (place) => (await import('./start/clients/setup-state.ts')).readSetup(place),
    write: async (...args) => (await import('./start/clients/setup-state.ts')).writeSetup(...args),
    fileSettings: async (place) => (await import('./start/clients/setup-state.ts')).fileSettings(place),
    secretFiles: async (...args) =>
      (await import('./start/clients/imported-secrets.ts')).secretFiles(...args),
    removeSecrets: async (...args) =>
      (await import('./start/clients/imported-secrets.ts')).removeSecrets(...args),
  },
  db: {
    migrate: async (...args) => (await import('./start/db-migrate.ts')).dbMigrate(...args),
    backup: async (...args) => (await import('./start/backup/index.ts')).dbBackup(...args),
    restore: async (...args) => (await import('./start/backup/index.ts')).dbRestore(...args),
  },
  config: {
    paths: async (place) => (await import('./start/config-commands.ts')).configPaths(place),
    show: async (place) => (await import('./start/config-commands.ts')).configShow(place),
    validate: async (place, file) => (await import('./start/config-commands.ts')).configValidate(place, file),
  },
};

// Nothing is left to wait for by now: results are written and connections closed. Sockets kept alive would only hold the prompt.
process.exit(await run(process.argv.slice(2), runtime, processIo()));
