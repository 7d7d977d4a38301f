import type { Config } from '../../contract/config.ts';
import type { Scan } from '../../scanner/index.ts';
import { isSamePlace } from '../known/server-identity.ts';
import { isWeaker } from '../verdict/verdict.ts';
import type { ComparedFacts } from './change-risk.ts';

type Scanning = Pick<Config, 'scanner'>;

/** Whether nothing in a definition speaks against accepting it at first use. */
export function isHarmless({ suspicious, pending }: Scan, { scanner }: Scanning): boolean {
  return scanner === 'off' || (!suspicious && pending !== true);
}

/** Why `quarantine: "risky"` withholds a tool; empty: it does not. `identity`: that of its server now. */
export function risksOf(facts: ComparedFacts, identity: string, config: Scanning): string[] {
  const { accepted, hash } = facts.known;
  if (!accepted) return [newReason(facts.scan, config)];
  const moved = isSamePlace(accepted.identity, identity)
    ? []
    : ['its server is started or reached differently'];
  return accepted.hash === hash ? moved : [...moved, ...changeReasons(facts, accepted.hash, config)];
}

function newReason({ suspicious, pending }: Scan, { scanner }: Scanning): string {
  if (pending) return 'it is new and not scanned yet';
  return suspicious && scanner !== 'off'
    ? 'it is new, and its text looks like an instruction to the model'
    : 'its server is new, and the text of one of its tools looks like an instruction to the model';
}

function changeReasons({ known, risk }: ComparedFacts, accepted: string, { scanner }: Scanning): string[] {
  const weakened = isWeaker(known.hints, known.held) ? ['the change weakens a hint'] : [];
  if (risk?.of !== accepted) return [...weakened, 'the change is not compared yet'];
  if (!risk.baseline)
    return [...weakened, 'the accepted definition was not kept, so the change cannot be judged'];
  const isScanned = scanner !== 'off';
  if (!risk.adds) return [...weakened, 'the change is not scanned yet'];
  const { findings, asking } = risk.adds;
  return [
    ...weakened,
    ...(isScanned && findings.length > 0
      ? [`the change adds text that looks like an instruction to the model (${findings.join(', ')})`]
      : []),
    ...asking.map((each) => `since the change, ${each}`),
  ];
}
