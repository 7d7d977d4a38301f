// Prompts and resources of the suite's fixture, by the names and URIs that the suite uses.
import { completable, inputRequired, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PNG } from './fixture-content.mjs';

const said = (text) => ({ role: 'user', content: { type: 'text', text } });
const elicited = (message, property) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
  });

export function addPrompts(server) {
  const add = (name, run, argsSchema) =>
    server.registerPrompt(
      name,
      { description: `Fixture prompt ${name}`, ...(argsSchema && { argsSchema: z.object(argsSchema) }) },
      run,
    );
  add('test_simple_prompt', () => ({ messages: [said('This is a simple prompt for testing.')] }));
  add(
    'test_prompt_with_arguments',
    ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
    { arg1: completable(z.string(), (value) => [`${value}is`, `${value}ty`]), arg2: z.string() },
  );
  add(
    'test_prompt_with_embedded_resource',
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        said('Please process the embedded resource above.'),
      ],
    }),
    { resourceUri: z.string() },
  );
  add('test_prompt_with_image', () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      said('Please analyze the image above.'),
    ],
  }));
  add('test_input_required_result_prompt', (ctx) => {
    const given = ctx.mcpReq.inputResponses?.user_context?.content?.context;
    if (typeof given === 'string') return { messages: [said(`With the context ${given}.`)] };
    return inputRequired({
      inputRequests: { user_context: elicited('What context should the prompt use?', 'context') },
    });
  });
}

export function addResources(server) {
  const add = (name, { uri, mimeType }, content) =>
    server.registerResource(
      name,
      uri,
      { description: `Fixture resource ${name}`, mimeType },
      (url, values) => ({
        contents: [{ uri: url.href, mimeType, ...content(values) }],
      }),
    );
  add('static-text', { uri: 'test://static-text', mimeType: 'text/plain' }, () => ({
    text: 'This is the content of the static text resource.',
  }));
  add('static-binary', { uri: 'test://static-binary', mimeType: 'image/png' }, () => ({ blob: PNG }));
  add('watched', { uri: 'test://watched-resource', mimeType: 'text/plain' }, () => ({ text: 'Watched.' }));
  const uri = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  add('template', { uri, mimeType: 'application/json' }, ({ id }) => ({
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe'])
    server.server.setRequestHandler(method, () => ({}));
}
