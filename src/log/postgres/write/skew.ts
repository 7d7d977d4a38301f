import type pg from 'pg';
import type { Sequence } from '../../record/sequence.ts';

/** A time filter must know how far the clock of any writer has gone back, also after a restart. */
export function createSkewSaver(sequence: Sequence): { save(client: pg.Client): Promise<void> } {
  let saved = 0;
  return {
    async save(client) {
      const { maxSkew } = sequence;
      if (maxSkew <= saved) return;
      await client.query(
        `INSERT INTO activity_state (key, value) VALUES ('max_skew', $1)
         ON CONFLICT (key) DO UPDATE SET value = greatest(activity_state.value, excluded.value)`,
        [maxSkew],
      );
      saved = maxSkew;
    },
  };
}
