import { ToolDefinition } from '../../contract/tool.ts';
import type { Log } from '../../lib/log.ts';
import { scanDefinition } from '../../scanner/index.ts';
import { definitionTextHash } from '../known/definition.ts';
import type { KnownTools } from '../known/known-tools.ts';
import { baselineOf, type Baseline, type ChangeRisk, type ComparedFacts } from './change-risk.ts';

interface Assessed {
  facts: ComparedFacts & { server: string };
  hash: string;
}

export interface AssessParts {
  store: Pick<KnownTools, 'acceptedDefinition'>;
  log: Log;
  entryOf: (name: string) => Assessed | undefined;
  /** Judges the tool again. */
  apply: (name: string, risk: ChangeRisk) => void;
}

const RETRY_MS = 5000;

/** Reads the accepted definitions of changed tools, one after the other. Until then a changed tool counts as risky. */
export function createAssessor({ store, log, entryOf, apply }: AssessParts) {
  const waiting = new Set<string>();
  let running: Promise<void> | undefined;

  async function assessAll(): Promise<void> {
    // Not before the listing that changed the tools is applied.
    await Promise.resolve();
    for (const name of waiting) {
      waiting.delete(name);
      try {
        await assess(name);
      } catch (error) {
        log.error({ err: error, tool: name }, 'a changed tool cannot be compared; it stays withheld');
        setTimeout(() => add(name), RETRY_MS).unref();
      }
    }
    running = undefined;
  }

  async function assess(name: string): Promise<void> {
    const entry = entryOf(name);
    const of = entry?.facts.known.accepted?.hash;
    if (!entry || of === undefined) return;
    const { server, definition } = entry.facts;
    const stored = await store.acceptedDefinition({ server, tool: definition.name });
    const baseline = stored !== null && definitionTextHash(stored) === of ? readBaseline(stored) : undefined;
    if (entryOf(name)?.facts.known.accepted?.hash !== of) return;
    apply(name, { of, ...(baseline && { baseline }) });
  }

  function add(name: string): void {
    waiting.add(name);
    running ??= assessAll();
  }

  return {
    add,
    /** Resolves when every change so far is compared. */
    idle: async () => running,
  };
}

function readBaseline(stored: string): Baseline | undefined {
  const { success, data } = ToolDefinition.safeParse(JSON.parse(stored));
  return success ? baselineOf({ definition: data, scan: scanDefinition(data) }) : undefined;
}
