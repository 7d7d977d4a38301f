import { aliasFor } from '../config/index.ts';
import type { ConfiguredServer, ServerConfig } from '../contract/config.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { AskedInput } from './document-servers.ts';
import { moveSecrets, type SecretFile } from './move-secrets.ts';
import { isOwnEntry, type OwnAddress } from './own-entry.ts';
import { withInputs, type Candidate } from './read-candidates.ts';
import { definitionOf, shownTarget, targetShape } from './server-identity.ts';
import { textsOf } from './setting-texts.ts';
import { unresolvedProblem } from './unresolved.ts';

/** One server of an import, and what becomes of it. */
export interface PlannedServer {
  candidate: Candidate;
  /** The name in the configuration; another one where that of the file is taken by another server. */
  name: string;
  alias: string;
  state: 'added' | 'known' | 'failed';
  /** Of a known one: it is the proxy itself, the same server, or only the same target with other values. */
  knownAs?: 'self' | 'server' | 'target';
  reason?: string;
  /** For people, without secrets. */
  target: string;
  warnings: string[];
  /** Values that are still asked for. */
  inputs: AskedInput[];
  /** To be written, if it is added. */
  config: ServerConfig;
  files: SecretFile[];
}

export interface ImportPlace {
  /** The configured servers, by alias. */
  existing: Readonly<Record<string, ConfiguredServer>>;
  /** Names of servers outside of the configuration. */
  reserved: readonly string[];
  own: OwnAddress;
  secretsFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  inputs: Readonly<Record<string, string>>;
}

/** Decides about every candidate in turn; one that is added is known to those after it. */
export function planImport(candidates: readonly Candidate[], place: ImportPlace): PlannedServer[] {
  const known = new Map<string, KnownServer>(
    Object.entries(place.existing).map(([alias, server]) => [alias, knownServer(server)]),
  );
  for (const name of place.reserved) if (!known.has(name)) known.set(name, { definition: '', shape: '' });
  return candidates.map((candidate) => {
    const planned = planServer(candidate, place, known);
    if (planned.state === 'added')
      known.set(planned.alias, { ...knownServer(withValues(candidate, place)), from: candidate });
    return planned;
  });
}

interface KnownServer {
  definition: string;
  shape: string;
  /** Present if it is added by this import. */
  from?: Candidate;
}

const knownServer = (config: ServerConfig): KnownServer => ({
  definition: definitionOf(config),
  shape: targetShape(config),
});

/** Given values come first, then the defaults of inputs that are no secrets. */
function withValues({ config, inputs }: Candidate, place: ImportPlace): ServerConfig {
  const preset = new Map(inputs.map(({ id, default: value }) => [id, value]));
  return withInputs(config, (id) => (Object.hasOwn(place.inputs, id) ? place.inputs[id] : preset.get(id)));
}

function planServer(
  candidate: Candidate,
  place: ImportPlace,
  known: ReadonlyMap<string, KnownServer>,
): PlannedServer {
  const config = withValues(candidate, place);
  const { name, sameAs, isTaken } = chooseName(candidate, config, known);
  const alias = sameAs ?? aliasFor(name);
  const moved = moveSecrets(config, { folder: place.secretsFolder, alias, env: place.env });
  const missing = candidate.inputs.filter(
    ({ id, default: preset }) => preset === undefined && !Object.hasOwn(place.inputs, id),
  );
  const common = {
    candidate,
    name: sameAs === undefined ? name : candidate.name,
    alias,
    target: visibleLine(withoutOwnFiles(shownTarget(moved.config), place.secretsFolder)),
    warnings: [...candidate.warnings],
    inputs: missing,
    config: moved.config,
    files: moved.files,
  };
  const because = (state: PlannedServer['state'], reason: string) => ({ ...common, state, reason });
  if (candidate.problem !== undefined) return because('failed', candidate.problem);
  if (isOwnEntry(candidate.name, config, place.own))
    return { ...because('known', 'this entry is mcpproxy itself, which is never imported'), knownAs: 'self' };
  if (sameAs !== undefined) {
    const same = { ...known.get(sameAs)!, alias: sameAs };
    const knownAs = same.definition === definitionOf(config) ? 'server' : 'target';
    return { ...because('known', knownReason(candidate, config, same)), knownAs };
  }
  if (missing.length > 0) return because('failed', missingReason(missing));
  const { failed, warning } = sentFilesProblem(candidate, config) ?? unresolvedProblem(config);
  if (failed !== undefined) return because('failed', failed);
  if (warning !== undefined) common.warnings.push(warning);
  return isTaken
    ? because('added', `'${candidate.name}' is another server, so this one is named '${name}'`)
    : { ...common, state: 'added' };
}

/** The files to which this import moves secrets are shown as masks; files that the entry itself names are shown. */
function withoutOwnFiles(target: string, folder: string): string {
  return target.replaceAll(/\$\{file:[^}]*\}/g, (reference) =>
    reference.startsWith(`\${file:${folder}`) ? '***' : reference,
  );
}

const MAX_ATTEMPTS = 1000;

/** A free name, or the alias under which the server is known already. */
function chooseName(
  { name, client }: Candidate,
  config: ServerConfig,
  known: ReadonlyMap<string, KnownServer>,
): { name: string; sameAs?: string; isTaken: boolean } {
  const { definition, shape } = knownServer(config);
  const named = client === undefined ? [name] : [name, `${name}-${client}`];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const wanted = named[attempt] ?? `${name}-${attempt - named.length + 2}`;
    const taken = known.get(aliasFor(wanted));
    if (!taken) {
      const [same] = [...known].find(([, each]) => each.definition === definition) ?? [];
      return same === undefined
        ? { name: wanted, isTaken: wanted !== name }
        : { name: wanted, sameAs: same, isTaken: false };
    }
    if (taken.shape === shape && shape !== '')
      return { name: wanted, sameAs: aliasFor(wanted), isTaken: false };
  }
  return { name, sameAs: aliasFor(name), isTaken: false };
}

function knownReason(
  candidate: Candidate,
  config: ServerConfig,
  { alias, definition, from }: KnownServer & { alias: string },
): string {
  const other = from === undefined ? `'${alias}'` : shownSource(from);
  if (definition !== definitionOf(config) && candidate.inputs.length === 0)
    return `${other} has the same target, with other values; it is not changed`;
  return from === undefined && alias === aliasFor(candidate.name)
    ? 'already in the configuration'
    : `the same server as ${other}`;
}

/** An entry of the same import, which is not in the configuration yet. */
function shownSource({ name, client }: Candidate): string {
  return visibleLine(client === undefined ? `'${name}' of this import` : `'${name}' of ${client}`);
}

const FILE_REFERENCE = /\$?\{file:([^{}]*)\}/g;

/** Files whose content is a part of the settings. */
function namedFiles(config: ServerConfig): string[] {
  return [
    ...new Set(
      textsOf(config).flatMap((text) => [...text.matchAll(FILE_REFERENCE)].map(([, file]) => file!)),
    ),
  ];
}

/**
 * An address that somebody else chose does not get files of this machine by an import; a program runs as its user anyway. Of the clients,
 * only opencode reads files.
 */
function sentFilesProblem(
  { client }: Candidate,
  config: ServerConfig,
): { failed: string; warning?: never } | undefined {
  const files = config.url === undefined || client === 'opencode' ? [] : namedFiles(config);
  if (files.length === 0) return undefined;
  const failed = `would send the content of ${files.join(', ')} to its address. If you want that, add it with "mcpproxy upstream add"`;
  return { failed: visibleLine(failed) };
}

function missingReason(inputs: readonly AskedInput[]): string {
  const names = inputs.map(({ id, description }) =>
    description === undefined ? id : `${id} (${description})`,
  );
  return visibleLine(
    `asks for a value: ${names.join(', ')}. Give it in the web UI, or to "mcpproxy import": on a terminal, or with --input 'ID=\${env:NAME}'`,
  );
}
