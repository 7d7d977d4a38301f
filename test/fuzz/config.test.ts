import fc from 'fast-check';
import { editServer, editSettings } from '../../src/config/file/edit-file.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { Config, type ServerConfig } from '../../src/contract/config.ts';
import { mergePatch } from '../../src/doors/http/server-changes.ts';
import { broken, changed, deepText, json, jsonText, text } from './arbitraries.ts';
import { fuzz, orRefused } from './cases.ts';
import { inTime } from './in-time.ts';
import { fromSchema } from './from-schema.ts';

const LONGEST_MESSAGE = 20_000;

/** A configuration, or a refusal that says why; and never something that changes what other objects have. */
function parsed(source: string): Config | undefined {
  const found = orRefused(['CONFIG_INVALID'], () => parseConfig(source, 'file'), LONGEST_MESSAGE);
  if (Object.keys(Object.prototype).length > 0) throw new Error('every object has got something more');
  return found;
}

const settings = fromSchema(Config);
const files = fc.oneof(
  changed(settings).map((value) => JSON.stringify(value, null, 2) ?? ''),
  broken(settings.map((value) => `// a file\n${JSON.stringify(value, null, 2)}`)),
  jsonText,
  deepText.map((deep) => `{"mcpServers": ${deep}}`),
);
fuzz('config: files', files, (source) => void parsed(source));

const servers = fc.record(
  { command: text, args: fc.array(text), env: fc.dictionary(text, text) },
  { requiredKeys: ['command'] },
);
const whole = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/), json, { maxKeys: 4 });
fuzz(
  'config: changes written back',
  fc.tuple(whole, whole, text, servers),
  ([before, patch, name, server]) => {
    const source = `${JSON.stringify(before, null, 2)} // kept`;
    const strip = (edited: string): unknown => JSON.parse(edited.replace(/ \/\/ kept\s*$/, ''));
    const next = inTime(() => editSettings(source, patch));
    if (!next.includes('// kept')) throw new Error('a comment is lost');
    const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
    if (!same(strip(next), mergePatch(before, patch))) throw new Error(`the file says ${next}`);
    const added = inTime(() => editServer(source, name, server as ServerConfig));
    const { mcpServers } = strip(added) as { mcpServers: Record<string, unknown> };
    if (!same(Object.getOwnPropertyDescriptor(mcpServers, name)?.value, server))
      throw new Error(`the file says ${added}`);
    inTime(() => editServer(added, name, null));
  },
);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, item]) => [key, sorted(item)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
