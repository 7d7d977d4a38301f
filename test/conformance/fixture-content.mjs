// Tools of the suite's fixture that answer in one go: every kind of content, errors, progress, log messages, a demanding schema.
import { setTimeout as sleep } from 'node:timers/promises';

export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

export const text = (value) => ({ content: [{ type: 'text', text: value }] });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });

export function addContentTools(addTool) {
  addTool('test_simple_text', async () => text('This is a simple text response for testing.'));
  addTool('test_image_content', async () => ({ content: [image] }));
  addTool('test_audio_content', async () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  addTool('test_embedded_resource', async () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }));
  addTool('test_multiple_content_types', async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
    structuredContent: { test: 'data', nested: [1, null, { deep: true }] },
    _meta: { 'example.com/kept': [1, 'two'] },
  }));
  addTool('test_error_handling', async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  addTool('json_schema_2020_12_tool', async (args) => text(JSON.stringify(args)), SCHEMA);
  addTool('test_streaming_elicitation', async () => text('nothing but the result'));
  addTool('test_logging_tool', async (_args, ctx) => {
    await ctx.mcpReq.log('info', 'only for a caller that set a log level');
    return text('logged');
  });
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  addTool('test_header', async (args) => text(args.region), {
    type: 'object',
    properties: { region },
    required: ['region'],
  });
  addTool('test_tool_with_progress', reportProgress);
  addReleasable(addTool);
}

// Each request may have a server object of its own, so this is outside of it.
let release = () => undefined;

/** For a client that drops progress which it reads together with the result: the result waits until somebody says so. */
function addReleasable(addTool) {
  addTool('progress_until_released', async (_args, ctx) => {
    const released = new Promise((done) => (release = done));
    await reportProgress(_args, ctx);
    const late = sleep(10_000, 'nobody came', { ref: false });
    return text(await Promise.race([released, late]));
  });
  addTool('release', async () => {
    release('released');
    return text('ok');
  });
}

async function reportProgress(_args, ctx) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    const params = { progressToken, progress, total: 100, message: `step ${progress}` };
    await ctx.mcpReq.notify({ method: 'notifications/progress', params });
    await sleep(20);
  }
  return text(progressToken === undefined ? 'nobody listens' : 'done');
}
