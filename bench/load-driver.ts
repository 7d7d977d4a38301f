import { fork } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './children.ts';
import type { Round, RoundResult } from './load-plan.ts';

export interface LoadGenerator {
  run(round: Round): Promise<RoundResult>;
  stop(): void;
}

export function startLoad(): LoadGenerator {
  const child = fork(compiled('load'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return {
    async run(round) {
      child.send(round);
      const limit = round.warmMs + (round.measureMs ?? 120_000) + 30_000;
      const [answer] = (await once(child, 'message', { signal: AbortSignal.timeout(limit) })) as [
        { result?: RoundResult; error?: string },
      ];
      if (!answer.result) throw new Error(`${round.target.name}: ${answer.error}`);
      return answer.result;
    },
    stop: () => child.disconnect(),
  };
}
