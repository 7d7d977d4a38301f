import { afterEach, describe, expect, test } from 'vitest';
import {
  decide,
  FINISHED,
  promptFor,
  type Decision,
  type Script,
} from '../../scripts/clients/model/decide.ts';
import { startModel, type ScriptedModel } from '../../scripts/clients/model/server.ts';

const SCRIPT: Script = {
  read: { tool: 'call_tool_read', args: { name: 'files:read' } },
  change: { tool: 'call_tool_write', args: { name: 'files:write' } },
};
const PROMPT = promptFor(['read', 'change']);
const PENDING = 'waits for approval; repeat the identical call';

/** One conversation as each protocol writes it: two offered tools, the prompt, and the results so far. */
const FORMS = {
  '/v1/messages': (results: string[]) => ({
    stream: true,
    tools: [{ name: 'mcp__p__call_tool_read' }, { name: 'mcp__p__call_tool_write' }],
    messages: [
      { role: 'user', content: PROMPT },
      ...results.map((content) => ({ role: 'user', content: [{ type: 'tool_result', content }] })),
    ],
  }),
  '/v1/chat/completions': (results: string[]) => ({
    stream: true,
    tools: ['p_call_tool_read', 'p_call_tool_write'].map((name) => ({
      type: 'function',
      function: { name },
    })),
    messages: [
      { role: 'system', content: 'drive: change' },
      { role: 'user', content: [{ type: 'text', text: PROMPT }] },
      ...results.map((content) => ({ role: 'tool', content })),
    ],
  }),
  '/v1/responses': (results: string[]) => ({
    stream: true,
    tools: [
      { type: 'namespace', name: 'p', tools: [{ name: 'call_tool_read' }, { name: 'call_tool_write' }] },
    ],
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: PROMPT }] },
      ...results.map((output) => ({ type: 'function_call_output', output })),
    ],
  }),
  '/v1beta/models/scripted:streamGenerateContent': (results: string[]) => ({
    tools: [{ functionDeclarations: [{ name: 'p_call_tool_read' }, { name: 'p_call_tool_write' }] }],
    contents: [
      { role: 'user', parts: [{ text: PROMPT }] },
      ...results.map((output) => ({ role: 'user', parts: [{ functionResponse: { response: { output } } }] })),
    ],
  }),
};

const models: ScriptedModel[] = [];
afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
});

async function modelWith(beforeAnswer?: (decision: Decision) => Promise<void>): Promise<ScriptedModel> {
  const model = await startModel({ script: SCRIPT, ...(beforeAnswer ? { beforeAnswer } : {}) });
  models.push(model);
  return model;
}

async function answer(model: ScriptedModel, path: string, body: object): Promise<string> {
  const response = await fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  return response.text();
}

describe.each(Object.entries(FORMS))('%s', (path, form) => {
  test('gives each answer an id of its own where the protocol has ids', async () => {
    const model = await modelWith();
    const ids = async () =>
      [...(await answer(model, path, form([]))).matchAll(/"id":"((?:msg|chat|resp)_[^"]+)"/g)].map(
        ([, id]) => id,
      );
    const [first, second] = [new Set(await ids()), new Set(await ids())];
    expect(first.size).toBe(path.includes('Content') ? 0 : 1);
    expect([...first].filter((id) => second.has(id))).toEqual([]);
  });

  test('makes one call after the other, by the names that the client offers, and then ends', async () => {
    const model = await modelWith();
    const first = await answer(model, path, form([]));
    expect(first).toMatch(/call_tool_read/);
    expect(first).toContain('files:read');
    const second = await answer(model, path, form(['read it']));
    expect(second).toContain('files:write');
    expect(second).not.toContain('files:read');
    expect(await answer(model, path, form(['read it', 'changed it']))).toContain(FINISHED);
    expect(Object.fromEntries(model.results)).toEqual({ read: 'read it', change: 'changed it' });
    expect([...model.offered].filter((name) => name.endsWith('call_tool_read'))).toHaveLength(1);
  });

  test('repeats a call that is pending, and only until it has a result', async () => {
    const seen: Decision[] = [];
    const model = await modelWith(async (decision) => void seen.push(decision));
    expect(await answer(model, path, form([PENDING]))).toContain('files:read');
    expect(await answer(model, path, form([PENDING, 'read it']))).toContain('files:write');
    expect(seen.map(({ step, again }) => [step, again])).toEqual([
      ['read', true],
      ['change', false],
    ]);
  });
});

describe('the next answer', () => {
  const tools = [{ name: 'call_tool_read' }, { name: 'call_tool_write' }];
  const user = (text: string) => ({ by: 'user', text }) as const;

  test('is plain text for requests without tools or without a prompt of the script', () => {
    expect(decide({ tools: [], turns: [user(PROMPT)] }, SCRIPT).step).toBeUndefined();
    expect(decide({ tools, turns: [user('Make a title.')] }, SCRIPT).step).toBeUndefined();
  });
  test('follows the last prompt', () => {
    const turns = [user(promptFor(['change'])), user(promptFor(['read']))];
    expect(decide({ tools, turns }, SCRIPT).step).toBe('read');
  });
  test('says that a tool was not offered instead of calling another', () => {
    const decision = decide({ tools: [{ name: 'bash' }], turns: [user(PROMPT)] }, SCRIPT);
    expect(decision).toEqual({ answer: { text: 'The tool call_tool_read was not offered.' }, step: 'read' });
  });
  test('gives each call an id of its own, also for the same prompt twice', () => {
    const once = [user(promptFor(['read']))];
    const twice = [...once, { by: 'tool', text: 'read it' } as const, ...once];
    const ids = [once, twice].map((turns) => {
      const { answer } = decide({ tools, turns }, SCRIPT);
      return 'call' in answer ? answer.call.id : undefined;
    });
    expect(new Set(ids).size).toBe(2);
  });
});

test('what no protocol handles is answered with 404 and kept for the report', async () => {
  const model = await modelWith();
  const response = await fetch(`${model.url}/telemetry`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(404);
  expect(model.unknown).toEqual(['POST /telemetry']);
});
