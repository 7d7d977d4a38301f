import type { Paths, Place, Validation } from '../doors/cli/index.ts';
import {
  checkConfigFile,
  loadConfig,
  parseConfig,
  readSettings,
  resolveSecrets,
  salvageDaemonLocation,
  showConfig,
} from '../config/index.ts';
import type { Config } from '../contract/config.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import { existsSync } from 'node:fs';
import { resolveServer } from '../upstream/index.ts';

/** The paths of the installation. Works without a file, and with an invalid one. */
export async function configPaths(place: Place): Promise<Paths> {
  const settings = readSettings(place, process.env);
  return { config_file: settings.configFile, data_dir: salvageDaemonLocation(settings).dataDir };
}

export async function configShow(place: Place): Promise<unknown> {
  const { configFile, overrides } = readSettings(place, process.env);
  return showConfig(
    existsSync(configFile)
      ? loadConfig(configFile, overrides).config
      : parseConfig('{}', configFile, overrides),
  );
}

export async function configValidate(place: Place, file?: string): Promise<Validation> {
  const settings = readSettings(place, process.env);
  const path = file ?? settings.configFile;
  try {
    const { problems, warnings, mcpServers } = checkConfigFile(path);
    return { file: path, problems, warnings: [...warnings, ...unresolved(mcpServers, path)] };
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return { file: path, problems: [error.message], warnings: [] };
  }
}

/** References of servers to missing variables or files. A daemon may have another environment, so these are warnings only. */
function unresolved(mcpServers: Config['mcpServers'], file: string): string[] {
  return Object.entries(mcpServers).flatMap(([name, server]) => {
    if (server.enabled === false || server.problem !== undefined) return [];
    try {
      resolveServer(server, resolveSecrets);
      return [];
    } catch (error) {
      return [
        `${file}: server ${name}: ${toProxyError(error).message}; in this environment the server cannot start; the other servers are not affected`,
      ];
    }
  });
}
