// Tools of the suite's fixture that ask the client, or tell it something, while they run (2025 revisions).
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from './fixture-content.mjs';

const ENUM = ['option1', 'option2', 'option3'];
const titled = (words) =>
  ['First', 'Second', 'Third'].map((title, i) => ({ const: `value${i + 1}`, title: `${title} ${words}` }));

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const ENUMS = {
  untitledSingle: { type: 'string', enum: ENUM },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ENUM } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

async function elicit(ctx, message, properties) {
  const requestedSchema = { type: 'object', properties, required: [] };
  const { action, content } = await ctx.mcpReq.elicitInput({ message, requestedSchema });
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
}

const withText = (field) => ({
  type: 'object',
  properties: { [field]: { type: 'string' } },
  required: [field],
});

export function addAskingTools(addTool) {
  addTool('test_reconnection', async (_args, ctx) => {
    await ctx.mcpReq.log('info', 'The answer takes a while');
    await sleep(500);
    return text('Reconnected');
  });
  addTool('test_elicitation_sep1034_defaults', (_args, ctx) => elicit(ctx, 'Please review', DEFAULTS));
  addTool('test_elicitation_sep1330_enums', (_args, ctx) => elicit(ctx, 'Please choose', ENUMS));
  addTool(
    'test_elicitation',
    ({ message }, ctx) => elicit(ctx, message, { username: { type: 'string' }, email: { type: 'string' } }),
    withText('message'),
  );
  addTool(
    'test_sampling',
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const { content } = await ctx.mcpReq.requestSampling({ messages, maxTokens: 100 });
      return text(`LLM response: ${content.text}`);
    },
    withText('prompt'),
  );
  addTool('test_tool_with_logging', async (_args, ctx) => {
    for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await ctx.mcpReq.log('info', message);
      await sleep(50);
    }
    return text('done');
  });
}
