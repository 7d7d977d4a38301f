import type { ClientRuntime, Runtime } from '../doors/cli/index.ts';

export { installReadableStacks } from './readable-stacks.ts';

/** The files of client programs, and the check of a connection. */
const clients: ClientRuntime = {
  find: async (place) => (await clientFiles()).find(place),
  plan: async (...args) => (await clientFiles()).plan(...args),
  apply: async (...args) => (await clientFiles()).apply(...args),
  alone: async (...args) => (await clientFiles()).alone(...args),
  status: async (place) => (await clientFiles()).status(place),
  disconnect: async (...args) => (await clientFiles()).disconnect(...args),
  print: async (...args) => (await clientFiles()).print(...args),
  named: async (...args) => (await clientFiles()).named(...args),
  answers: async (...args) => (await import('./clients/prove-connection.ts')).answersAt(...args),
  prove: async (...args) => (await import('./clients/prove-connection.ts')).proveConnection(...args),
};

async function clientFiles() {
  return (await import('./clients/client-connect.ts')).clientConnect;
}

/**
 * The door of this folder: what is behind each command. It is loaded when it is used, so that help and completion come at once.
 */
export const startRuntime: Omit<Runtime, 'version'> = {
  serve: async (options) => (await import('./serve.ts')).serve(options),
  stdio: async (place) => (await import('./stdio.ts')).stdio(place),
  tasks: async (place) => (await import('./tasks.ts')).tasks(place),
  stop: async (place) => (await import('./stop-daemon.ts')).stopDaemon(place),
  connect: async (place, how, signal) => (await import('./connect/connect.ts')).connect(place, how, signal),
  findServers: async (source) => (await import('./find-servers.ts')).findServers(source),
  clients,
  service: async () => (await import('./service.ts')).serviceRuntime,
  setup: {
    start: async (...args) => (await import('./clients/background.ts')).startInBackground(...args),
    read: async (place) => (await import('./clients/setup-state.ts')).readSetup(place),
    write: async (...args) => (await import('./clients/setup-state.ts')).writeSetup(...args),
    fileSettings: async (place) => (await import('./clients/setup-state.ts')).fileSettings(place),
    secretFiles: async (...args) => (await import('./clients/imported-secrets.ts')).secretFiles(...args),
    removeSecrets: async (...args) => (await import('./clients/imported-secrets.ts')).removeSecrets(...args),
  },
  db: {
    migrate: async (...args) => (await import('./db-migrate.ts')).dbMigrate(...args),
    backup: async (...args) => (await import('./backup/db-backup.ts')).dbBackup(...args),
    restore: async (...args) => (await import('./backup/db-restore.ts')).dbRestore(...args),
  },
  config: {
    paths: async (place) => (await import('./config-commands.ts')).configPaths(place),
    show: async (place) => (await import('./config-commands.ts')).configShow(place),
    validate: async (place, file) => (await import('./config-commands.ts')).configValidate(place, file),
  },
};
