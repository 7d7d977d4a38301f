import { applyEdits, modify, parseTree } from 'jsonc-parser';
import { SETTING_PLACES, isSharedSetting, type Config } from '../../contract/config.ts';
import { canonicalJson, isObject, type JsonObject } from '../../json/index.ts';
import { valueOf } from '../file/file-places.ts';
import { CONTAINERS } from '../file/file-servers.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2 } };
const LOCAL = Object.keys(SETTING_PLACES).filter((name) => !isSharedSetting(name));

const orEmpty = (text: string) => (text.trim() === '' ? '{}\n' : text);

function settingsOf(text: string): JsonObject {
  const value = valueOf(parseTree(text, [], { allowTrailingComma: true }));
  return isObject(value) ? value : {};
}

/** The text without the settings that each proxy has for itself. Comments are kept. */
export function sharedText(text: string): string {
  return localSettings(text).reduce(
    (next, name) => applyEdits(next, modify(next, [name], undefined, FORMAT)),
    orEmpty(text),
  );
}

/** The local settings that a text names. */
export function localSettings(text: string): string[] {
  const settings = settingsOf(text);
  return LOCAL.filter((name) => Object.hasOwn(settings, name));
}

/** The shared settings of the one text and the local ones of the other. The latter come last, so that lines of the former keep their numbers. */
export function composeText(shared: string, local: string): string {
  const settings = settingsOf(local);
  return localSettings(local).reduce(
    (next, name) => applyEdits(next, modify(next, [name], settings[name], FORMAT)),
    sharedText(shared),
  );
}

/** The shared settings that a file names and that have another value in force: they have no effect. Servers are named one by one. */
export function ineffectiveSettings(text: string, file: Config, inForce: Config): string[] {
  const named = Object.keys(settingsOf(text));
  const settings = (Object.keys(SETTING_PLACES) as Array<keyof Config>).filter(
    (name) => name !== 'mcpServers' && isSharedSetting(name) && named.includes(name),
  );
  const others = settings.filter((name) => canonicalJson(file[name]) !== canonicalJson(inForce[name]));
  return [...(named.some(isContainerName) ? differingServers(file, inForce) : []), ...others];
}

const isContainerName = (name: string) => CONTAINERS.some((container) => container === name);

/** A file without servers, as the first start makes it, says nothing about them. */
function differingServers({ mcpServers: inFile }: Config, { mcpServers: inForce }: Config): string[] {
  if (Object.keys(inFile).length === 0) return [];
  const names = [...new Set([...Object.keys(inFile), ...Object.keys(inForce)])];
  return names
    .filter((name) => serverText(inFile[name]) !== serverText(inForce[name]))
    .map((name) => `mcpServers.${name}`);
}

/** Problems and warnings contain line numbers. */
export function serverText(server: Config['mcpServers'][string] | undefined): string {
  const { problem: _problem, warnings: _warnings, ...settings } = server ?? {};
  return server === undefined ? '' : canonicalJson(settings);
}
