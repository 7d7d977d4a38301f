import { describe, expect, test } from 'vitest';
import { cli } from '../../../../test/fixtures/fake-cli.ts';
import { ProxyError } from '../../../contract/errors.ts';

const answer = (reply: string, conversation_id = 'c1') => ({
  conversation_id,
  message_id: 'm1',
  reply,
  user_intent: { intent_type: 'GENERAL_CHAT', extracted_params: {} },
  decision: { decision_type: 'RESPOND_ONLY' },
});
const bodies = (requests: Array<[string, unknown]>) =>
  requests.map(([name, input]) => [name, (input as { body?: unknown }).body]);

describe('one message', () => {
  test('is said, answered, and how to go on is hinted', async () => {
    const { stdout, stderr, code, requests, connects } = await cli(['chat', 'add buy milk'], {
      answers: { chat: answer('Done.') },
    });
    expect([stdout, code]).toEqual(['Done.\n', 0]);
    expect(bodies(requests)).toEqual([['chat', { message: 'add buy milk' }]]);
    expect(stderr).toContain('mcpproxy chat --conversation c1');
    expect(connects[0]![1]).toBe('daemon-or-embedded');
  });
  test('goes on with a conversation', async () => {
    const { requests, stderr } = await cli(['chat', '--conversation', 'c7', 'yes'], {
      answers: { chat: answer('Deleted.', 'c7') },
    });
    expect(bodies(requests)).toEqual([['chat', { message: 'yes', conversation_id: 'c7' }]]);
    expect(stderr).toBe('');
  });
  test('as JSON is the whole answer and nothing else', async () => {
    const { stdout, stderr } = await cli(['chat', 'hi', '-o', 'json'], {
      answers: { chat: answer('Hello!') },
    });
    expect([JSON.parse(stdout), stderr]).toEqual([answer('Hello!'), '']);
  });
  test('an answer that is no plain text is made visible', async () => {
    expect((await cli(['chat', 'hi'], { answers: { chat: answer('a\u001b[31mb\u202e') } })).stdout).toBe(
      'a\\u{1b}[31mb\\u{202e}\n',
    );
  });
  test('--explain asks and does nothing', async () => {
    const explainChat = {
      user_intent: { intent_type: 'DELETE_TASK', extracted_params: { task_reference: 'milk' } },
      decision: {
        decision_type: 'REQUEST_CONFIRMATION',
        tool_calls: [{ tool_name: 'list_tasks', parameters: {}, sequence: 1 }],
        clarification_question: 'Shall I?',
      },
      because: ['it says delete'],
    };
    const { stdout, requests, connects } = await cli(['chat', '--explain', 'delete milk'], {
      answers: { explainChat },
    });
    expect(bodies(requests)).toEqual([['explainChat', { message: 'delete milk' }]]);
    expect(connects[0]![1]).toBe('daemon-or-offline');
    for (const part of [
      'DELETE_TASK',
      'milk',
      'REQUEST_CONFIRMATION',
      'list_tasks',
      'Shall I?',
      '- it says delete',
    ])
      expect(stdout).toContain(part);
  });
  test('a refusal has its exit code', async () => {
    const chat = () => Promise.reject(new ProxyError('NOT_FOUND', 'There is no conversation'));
    expect((await cli(['chat', 'hi', '--conversation', 'x'], { answers: { chat } })).code).toBe(2);
  });
  test('an unknown conversation is looked up among the conversations, not among the servers', async () => {
    const chat = () =>
      Promise.reject(new ProxyError('NOT_FOUND', 'There is no conversation', { conversation_id: 'x' }));
    const { stderr } = await cli(['chat', 'hi', '--conversation', 'x'], { answers: { chat } });
    expect(stderr).toContain('mcpproxy chat list');
    expect(stderr).not.toContain('upstream');
  });
});

describe('line by line', () => {
  test('one conversation; empty lines are nothing; a line that is refused does not end it', async () => {
    let n = 0;
    const chat = ({ body }: { body: { message: string } }) =>
      body.message === 'bad'
        ? Promise.reject(new ProxyError('INVALID_REQUEST', 'Too long'))
        : answer(`${++n}: ${body.message}`);
    const given = { answers: { chat }, stdin: 'add milk\n   \nbad\nyes\n', terminal: { in: true } };
    const { stdout, stderr, requests, code } = await cli(['chat'], given);
    expect(stdout).toBe('1: add milk\n2: yes\n');
    expect(stderr).toContain('Too long');
    expect(bodies(requests)).toEqual([
      ['chat', { message: 'add milk' }],
      ['chat', { message: 'bad', conversation_id: 'c1' }],
      ['chat', { message: 'yes', conversation_id: 'c1' }],
    ]);
    expect([stderr.includes('mcpproxy chat --conversation c1'), code]).toEqual([true, 0]);
    expect((await cli(['chat'], { ...given, terminal: {} })).code).toBe(2);
  });
  test('what was said before in the conversation is at hand', async () => {
    const getConversation = {
      messages: [
        { role: 'user', content: 'add milk' },
        { role: 'assistant', content: 'Done.' },
      ],
    };
    const { requests } = await cli(['chat', '--conversation', 'c7'], {
      answers: { getConversation, chat: answer('ok', 'c7') },
      stdin: 'yes\n',
    });
    expect(requests.map(([name]) => name)).toEqual(['getConversation', 'chat']);
  });
  test('what ends the connection ends the conversation', async () => {
    const chat = () => Promise.reject(new ProxyError('NO_DAEMON', 'gone'));
    expect((await cli(['chat'], { answers: { chat }, stdin: 'a\nb\n' })).code).toBe(7);
  });
});

describe('conversations', () => {
  test('list', async () => {
    const conversations = [
      {
        id: 'c1',
        title: 'add\u001b milk',
        messages: 2,
        created_at: '2025-01-15T10:00:00Z',
        updated_at: '2025-01-15T10:00:00Z',
      },
    ];
    const { stdout, stderr } = await cli(['chat', 'list', '--limit', '1'], {
      answers: { listConversations: { conversations, next_cursor: 'next' } },
    });
    expect(stdout).toMatch(/^ID +UPDATED +MESSAGES +TITLE\nc1 .* 2 +add\\u\{1b\} milk\n$/);
    expect(stderr).toContain('--cursor next');
    expect(
      (
        await cli(['chat', 'list'], {
          answers: { listConversations: { conversations: [], next_cursor: null } },
        })
      ).stderr,
    ).toContain('No conversations yet');
  });
  test('show, with reasons', async () => {
    const messages = [
      {
        id: 'm1',
        role: 'user',
        content: 'add milk',
        timestamp: '2025-01-15T10:00:00Z',
        user_intent: { intent_type: 'CREATE_TASK' },
        decision: { decision_type: 'INVOKE_TOOL' },
        because: ['it says add'],
      },
      { id: 'm2', role: 'assistant', content: 'Done.', timestamp: '2025-01-15T10:00:00Z' },
    ];
    const answers = { getConversation: { id: 'c1', messages, next_cursor: null } };
    expect((await cli(['chat', 'show', 'c1'], { answers })).stdout.split('\n')).toHaveLength(3);
    expect((await cli(['chat', 'show', 'c1', '--because'], { answers })).stdout).toContain(
      'CREATE_TASK → INVOKE_TOOL\n  - it says add',
    );
  });
  test('replay: exit code 1 where something differs', async () => {
    const same = { conversation_id: 'c1', decisions: 3, differences: [] };
    expect(await cli(['chat', 'replay', 'c1'], { answers: { replayConversation: same } })).toMatchObject({
      code: 0,
      stdout: '3 decisions, no differences\n',
    });
    const other = {
      ...same,
      differences: [{ message_id: 'm1', message: 'add milk', was: { a: 1 }, is: { a: 2 } }],
    };
    const { code, stdout } = await cli(['chat', 'replay', 'c1'], { answers: { replayConversation: other } });
    expect([code, stdout]).toEqual([
      1,
      'm1  add milk\n  was  {"a":1}\n  is   {"a":2}\n3 decisions, 1 difference\n',
    ]);
  });
});
