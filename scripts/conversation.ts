import { writeFileSync } from 'node:fs';
import { startAssistantProxy } from '../test/fixtures/assistant-proxy.ts';
import { CONVERSATION_PAGE, withRealAnswers } from '../test/fixtures/documented-conversation.ts';

// Says the messages of docs/assistant-conversation.md to a real proxy and writes the answers into the page.
// usage: npm run docs:conversation
const proxy = await startAssistantProxy();
writeFileSync(CONVERSATION_PAGE, await withRealAnswers(proxy));
await proxy.stop();
