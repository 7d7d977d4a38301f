import fc from 'fast-check';
import { NUMBERS, objectText } from '../fixtures/json-text.ts';
// @ts-expect-error -- a fixture without types
import { resultWith as resultUntyped } from '../fixtures/verbatim.mjs';
import { startVerbatimHttp } from '../fixtures/verbatim-http.ts';
import { openRawMcp } from '../e2e/raw-mcp.ts';
import type { Attack } from './attack.ts';
import { startOf } from './scaled.ts';

const resultWith = resultUntyped as (text: string) => string;
const TWICE = [
  '{"to":"me","to":"you"}',
  '{"to":"me","t\\u006f":"you"}',
  '{"a":[{"b":{"to":1,"x":2,"to":3}}]}',
  '{"__proto__":1,"__proto__":2}',
  '{"1":1,"01":2,"1":3}',
];

/** What was checked is what arrives, to the last digit; what two programs would read differently does not arrive. */
export const lossy: Attack = {
  threat: 'T19',
  title: 'numbers, keys and texts that a parser changes',
  async run(tally, scale) {
    const numbers = NUMBERS.map((number) => `{"id":${number},"2":[${number}],"1":{}}`);
    const texts = [...numbers, ...fc.sample(objectText, { numRuns: scale === 'full' ? 1000 : 10 })];
    const upstream = await startVerbatimHttp(texts);
    const proxy = await startOf(scale)({ config: { mcpServers: { up: { url: `${upstream.url}/json` } } } });
    try {
      const raw = await openRawMcp(proxy);
      const send = (given: string) =>
        raw.call('call_tool_read', `{"name":"up:say",${given},"intent":{"operation_type":"read"}}`);
      for (const text of texts)
        for (const given of [`"args":${text}`, `"args_json":${JSON.stringify(text)}`])
          tally.held(
            (await send(given)).text.endsWith(`,"result":${resultWith(text)}}`),
            `altered: ${given}`,
          );
      const before = upstream.calls();
      for (const text of TWICE)
        for (const given of [
          `"args":${text}`,
          `"args_json":${JSON.stringify(text)}`,
          `"x":${text},"args":{}`,
        ])
          tally.held(
            /twice/.test((await send(given)).text) && upstream.calls() === before,
            `not refused: ${given}`,
          );
      tally.figure(`${2 * texts.length} byte for byte`);
    } finally {
      await proxy.dispose();
      upstream.stop();
    }
  },
};
