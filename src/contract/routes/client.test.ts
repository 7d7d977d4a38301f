import { expect, test } from 'vitest';
import { createClient } from './client.ts';

test('a program that answers with something else is not taken for the proxy', async () => {
  const fetch = () => Promise.resolve(new Response('<html>hello</html>'));
  const client = createClient({ url: 'http://127.0.0.1:9', client: 'test', fetch });
  await expect(client.request('status', {})).rejects.toMatchObject({
    code: 'NO_DAEMON',
    message: 'The program at http://127.0.0.1:9 is not mcpproxy: it answers otherwise',
  });
});
