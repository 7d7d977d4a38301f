import { afterAll, beforeAll } from 'vitest';
import { newPostgres } from '../fixtures/engines.ts';
import { fuzz } from './cases.ts';
import { anyRequest, sendFilled } from './rest-requests.ts';
import { startStage, type Stage } from './stage.ts';

let database: Awaited<ReturnType<typeof newPostgres>>;
let stage: Stage;
beforeAll(async () => {
  database = await newPostgres();
  stage = await startStage({ database_url: database.url });
});
afterAll(async () => {
  await stage.stop();
  await database.remove();
});

/** Other texts are too much for this engine than for a file: it takes no NUL, and half a pair is none. */
fuzz('rest: on PostgreSQL', anyRequest, async (given) => {
  await sendFilled(stage, given);
});
