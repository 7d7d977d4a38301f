import type { Config, ConfiguredServer } from '../contract/config.ts';

const MASK = '***';

/** The configuration as a person may see it: names of secrets, never their values. References stay, they are names. */
export function showConfig(config: Config): Config {
  return {
    ...config,
    ...(config.api_key && { api_key: hide(config.api_key) }),
    ...(config.database_url && { database_url: withoutUser(config.database_url) }),
    mcpServers: Object.fromEntries(
      Object.entries(config.mcpServers).map(([name, server]) => [name, showServer(server)]),
    ),
  };
}

function showServer(server: ConfiguredServer): ConfiguredServer {
  return {
    ...server,
    ...(server.env && { env: hideValues(server.env) }),
    ...(server.headers && { headers: hideValues(server.headers) }),
    ...(server.url && { url: withoutPassword(server.url) }),
  };
}

function hideValues(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hide(value)]));
}

function hide(value: string): string {
  return /^[^$]{0,10}\$\{[A-Za-z_][^}]*\}$/.test(value) && !value.includes(':-') ? value : MASK;
}

/** Up to the last @, as a password may hold one that nobody has encoded. */
function withoutUser(url: string): string {
  return withoutPassword(url.replace(/\/\/.*@/s, `//${MASK}@`));
}

/** User information and the values of a query may be secrets; the rest of a URL says where it goes. */
function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, `//${MASK}@`).replace(/([?&][^=&#]+=)[^&#]*/g, `$1${MASK}`);
}
