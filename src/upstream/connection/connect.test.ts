import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connect } from './connect.ts';
import { describeError } from './open-server.ts';

test('a handshake without an answer fails with its limit', async () => {
  const [ours] = InMemoryTransport.createLinkedPair();
  const options = { memory: { era: 'legacy' as const }, timeoutMs: 20, signal: new AbortController().signal };
  const clientInfo = { name: 'x', version: '1' };
  const failure = await connect(ours, { ...options, clientInfo, onToolsChanged: () => undefined }).catch(
    (error: unknown) => describeError(error),
  );
  expect(failure).toContain('no answer to the handshake within 20 ms');
});
