import {
  authorSource,
  recordedChange,
  serverOf,
  showConfig,
  type ConfigAuthor,
  type JudgedChange,
} from '../../config/index.ts';
import type { Config } from '../../contract/config.ts';
import { newId } from '../../lib/clock.ts';
import type { RecordDraft } from '../record/record.ts';

/** Changes per record; the rest is in the settings of the record. */
export const MAX_CHANGES = 200;
/** An edit of the file has no credential. */
const PRINCIPAL = 'config file';

interface Drafted {
  action: 'start' | 'file' | 'edit' | 'accept' | 'waiting' | 'revision';
  next: Config;
  by?: ConfigAuthor | undefined;
  digest: string;
  previousDigest?: string | undefined;
  /** Of the accepted settings, where they differ. */
  acceptedDigest?: string | undefined;
  changes: JudgedChange[];
  /** Settings that a flag or the environment gives. */
  overridden: readonly string[];
  file: string;
  /** Of the shared settings, where the database has them. */
  revision: number | undefined;
  proxy: string;
}

/** The record of a configuration: where it comes from, its digest, and what differs from the one before. */
export function configDraft(drafted: Drafted): RecordDraft {
  const { action, by, changes, previousDigest, acceptedDigest } = drafted;
  return {
    type: 'config',
    source: by?.source ?? 'system',
    ...onlyServer(changes),
    arguments: {
      file: drafted.file,
      source: sourceOf(drafted),
      ...revisionOf(drafted),
      digest: drafted.digest,
      ...(previousDigest !== undefined && { previous_digest: previousDigest }),
      ...(acceptedDigest !== undefined && { accepted_digest: acceptedDigest }),
      weakening: weakeningOf(changes).length,
      changes: changes.slice(0, MAX_CHANGES).map(recordedChange),
      ...(changes.length > MAX_CHANGES && { more: changes.length - MAX_CHANGES }),
      ...overriddenOf(drafted),
    },
    request_id: by?.requestId ?? newId(),
    ...(by?.client !== undefined && { client: by.client }),
    metadata: { action, principal: by?.principal ?? PRINCIPAL, proxy: drafted.proxy },
  };
}

export const weakeningOf = (changes: JudgedChange[]) =>
  changes.filter(({ effect }) => effect === 'weakening');

function onlyServer(changes: JudgedChange[]): { server_name?: string } {
  const servers = new Set(changes.map(({ setting }) => serverOf(setting)));
  const [server] = servers;
  return servers.size === 1 && server !== undefined ? { server_name: server } : {};
}

const revisionOf = ({ revision }: Drafted) => (revision === undefined ? {} : { revision });

function overriddenOf({ next, overridden }: Drafted): { overridden?: object } {
  if (overridden.length === 0) return {};
  const shown: Partial<Record<string, unknown>> = showConfig(next);
  return { overridden: Object.fromEntries(overridden.map((name) => [name, shown[name]])) };
}

function sourceOf({ action, by }: Drafted): 'start' | 'file' | 'revision' | ReturnType<typeof authorSource> {
  if (action === 'revision') return 'revision';
  if (!by) return action === 'start' ? 'start' : 'file';
  return authorSource(by);
}
