import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { raw, startHarness, type Harness } from '../../../../test/fixtures/mcp-harness.ts';
import {
  modern,
  sendModern,
  modernHeaders,
  modernRpc,
  openSession,
  rpc,
} from '../../../../test/fixtures/mcp-messages.ts';

let harness: Harness;
afterEach(() => harness.stop());

/** Sends a request and then reads nothing. */
function deafClient(port: number, headers: Record<string, string>, body: string) {
  const socket = connect(port, '127.0.0.1');
  const lines = Object.entries({
    ...headers,
    host: 'localhost',
    'content-length': String(Buffer.byteLength(body)),
  });
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(
    `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
  return socket;
}

describe('event streams', () => {
  test('a reader that does not keep up is cut off, and in 2026 its call is cancelled', async () => {
    harness = await startHarness({ limits: { bufferedBytes: 500_000 } });
    const body = JSON.stringify(modernRpc('tools/call', { name: 'flood', _meta: { progressToken: 1 } }));
    const socket = deafClient(harness.port, modernHeaders('tools/call', 'flood'), body);
    await expect.poll(() => harness.calls[0]?.signal.aborted).toBe(true);
    socket.destroy();
  });

  test('one large answer to a quick reader is no reason to cut it off', async () => {
    harness = await startHarness({ limits: { bufferedBytes: 1_000, keepAliveMs: 20 } });
    const large = await modern(harness, 'tools/call', {
      name: 'big',
      arguments: { bytes: 5_000_000 },
      _meta: { progressToken: 1 },
    });
    // As a stream where it took longer than a moment.
    const { result } = large.json ?? large.events[0];
    expect(result.content[0].text).toHaveLength(5_000_000);
  });

  test.each(['2026-07-28', '2025-11-25'])(
    'silence turns into a stream with comments (%s)',
    async (revision) => {
      harness = await startHarness({ limits: { keepAliveMs: 30 } });
      const params = { name: 'steps' };
      let asked: Promise<unknown> | undefined;
      // Silent until there are two of them, however long that takes.
      const onData = (text: string) => {
        if (text.split(': keepalive').length > 2) asked ??= modern(harness, 'tools/call', { name: 'go' });
      };
      const answer =
        revision === '2026-07-28'
          ? await sendModern(harness, { method: 'tools/call', params, onData })
          : await raw(harness.port, {
              headers: await openSession(harness),
              body: rpc('tools/call', params),
              onData,
            });
      expect(answer.headers['content-type']).toBe('text/event-stream');
      expect(answer.text.match(/^: keepalive$/gm)!.length).toBeGreaterThan(1);
      expect(answer.events.map((event) => event.result.content[0].text)).toEqual(['done']);
      await asked;
    },
  );

  test('a quiet subscription is kept alive too', async () => {
    harness = await startHarness({ limits: { keepAliveMs: 20 } });
    const { text } = await sendModern(harness, {
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
      onData: (seen) => (seen.match(/keepalive/g)?.length ?? 0) >= 2,
    });
    expect(text).toContain(': keepalive\n\n');
  });
});
