import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../contract/config.ts';

/** The address that `mcpproxy serve` used last. HTTP clients have it in their files. */
const NAME = 'last_listen';

export function rememberListen(dataDir: string, url: string): void {
  writeFileSync(join(dataDir, NAME), `${url.replace(/^https?:\/\//, '')}\n`, { mode: 0o600 });
}

/** As HOST:PORT; undefined where `mcpproxy serve` has not run, or the file is damaged. */
export function lastListen(dataDir: string): string | undefined {
  try {
    const address = readFileSync(join(dataDir, NAME), 'utf8').trim();
    return Config.shape.listen.safeParse(address).success ? address : undefined;
  } catch {
    return undefined;
  }
}
