// A server with one of each kind that clients may offer to a person besides tools, on the official SDK. stdio.
//
//   node desk-server.mjs PROMPT NOTE
//
// Prompt greet: the text PROMPT. Resource note:///desk/note.txt: the text NOTE. Tool sign: asks the person for a name and returns it.
import { McpServer, acceptedContent, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [prompt, note] = process.argv.slice(2);
const FORM = {
  type: 'object',
  properties: { name: { type: 'string', title: 'Name', description: 'Who signs' } },
  required: ['name'],
};

serveStdio(() => {
  const server = new McpServer({ name: 'desk', version: '1.0.0' });
  server.registerPrompt('greet', { description: 'Greets the visitor' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
  }));
  const about = { description: 'A note for visitors', mimeType: 'text/plain' };
  server.registerResource('note.txt', 'note:///desk/note.txt', about, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: note }],
  }));
  server.registerTool(
    'sign',
    {
      description: 'Asks the person at the client to sign',
      inputSchema: fromJsonSchema({ type: 'object', properties: {} }),
      annotations: { readOnlyHint: true },
    },
    async (_args, { mcpReq: { inputResponses } }) => {
      const answer = inputResponses?.signature;
      if (answer === undefined) {
        const signature = inputRequired.elicit({
          message: 'Please sign the guest book',
          requestedSchema: FORM,
        });
        return inputRequired({ inputRequests: { signature } });
      }
      const name = acceptedContent(inputResponses, 'signature')?.name;
      return {
        content: [
          {
            type: 'text',
            text: typeof name === 'string' ? `Signed by ${name}.` : `Not signed: ${answer.action}.`,
          },
        ],
      };
    },
  );
  return server;
});
