import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startAssistantProxy } from '../fixtures/assistant-proxy.ts';
import { CONVERSATION_PAGE, withRealAnswers } from '../fixtures/documented-conversation.ts';

test('the documented conversation has the real answers (else: npm run docs:conversation)', async () => {
  const proxy = await startAssistantProxy();
  try {
    expect(await withRealAnswers(proxy)).toBe(readFileSync(CONVERSATION_PAGE, 'utf8'));
  } finally {
    await proxy.stop();
  }
});
