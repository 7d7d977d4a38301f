import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf, restClient } from '../../../test/fixtures/rest-client.ts';
import { activityRecord, fakeParts } from '../../../test/fixtures/rest-parts.ts';
import { API_PREFIX, routes, type JsonRoute, type RouteInput } from '../../contract/routes/api.ts';

let fake: ReturnType<typeof fakeParts>;
let door: ReturnType<typeof restClient>;
beforeEach(() => {
  fake = fakeParts();
  door = restClient(fake.parts);
});

describe('every JSON route answers what its schema says', () => {
  const inputs: { [N in JsonRoute]: RouteInput<N> } = {
    status: {},
    listServers: {},
    addServer: { body: { name: 'files', config: { command: 'npx', args: ['server-filesystem'] } } },
    listClients: {},
    clientEntry: { client: 'cursor', url: 'http://127.0.0.1:8080/mcp' },
    importServers: { body: { text: '{"mcpServers": {"new": {"command": "x"}}}' } },
    getServer: { name: 'github' },
    testServer: { body: { name: 'github' } },
    serverSettings: { name: 'github' },
    updateServer: { name: 'github', body: { timeout: '5s' } },
    restartServer: { name: 'github' },
    enableServer: { name: 'github' },
    disableServer: { name: 'github' },
    serverLogs: { name: 'github', tail: 7 },
    startLogin: { name: 'github', body: { scopes: ['read'] } },
    completeLogin: { name: 'github', body: { redirect: '?code=c&state=s' } },
    loginProgress: { name: 'github' },
    logoutServer: { name: 'github' },
    removeServer: { name: 'github' },
    listTools: { server: 'github', limit: 5 },
    toolRisk: { period: '24h' },
    searchTools: { q: 'issues' },
    getTool: { name: 'github:list_issues' },
    callTool: { body: { tool_variant: 'call_tool_read', name: 'github:list_issues', args: {} } },
    setOperation: { name: 'github:list_issues', body: { operation: 'destructive' } },
    clearOperation: { name: 'github:list_issues' },
    approveTool: { name: 'github:list_issues' },
    rejectTool: { name: 'github:list_issues' },
    diffTool: { name: 'github:list_issues' },
    listPrompts: { server: 'github' },
    getPrompt: { body: { name: 'github:review', arguments: { pull: '1' } } },
    diffPrompt: { name: 'github:review' },
    approvePrompt: { name: 'github:review' },
    rejectPrompt: { name: 'github:review' },
    listResources: { limit: 5 },
    listSkills: { server: 'github' },
    diffSkill: { uri: 'mcpproxy://github/skill://review/SKILL.md' },
    approveSkill: { body: { uri: 'mcpproxy://github/skill://review/SKILL.md' } },
    rejectSkill: { body: { uri: 'mcpproxy://github/skill://review/SKILL.md' } },
    readResource: { body: { uri: 'note://1' } },
    approveServer: { name: 'github' },
    exportVerdicts: {},
    importVerdicts: { body: { version: 1, verdicts: [] } },
    listActivity: { status: 'refused', limit: 3 },
    auditActivity: { principal: 'operator' },
    activitySummary: { period: '7d' },
    activitySeries: { buckets: 24 },
    activityBreakdown: { filter: 'status:success,refused -server:nobody', buckets: 24, flows: 'true' },
    getActivity: { id: '01HZ' },
    activityChain: { id: '01HZ' },
    chat: { body: { message: 'hello' } },
    explainChat: { body: { message: 'hello', pending: { task_description: 'buy milk' } } },
    listConversations: {},
    getConversation: { id: 'c1' },
    listInvocations: { id: 'c1' },
    replayConversation: { id: 'c1' },
    verifyActivity: {},
    verifyActivityAgainst: { body: { checkpoints: '' } },
    digestActivity: { body: { text: 'x' } },
    listTokens: { all: 'true' },
    createToken: { body: { name: 'cursor', operations: ['read'] } },
    revokeToken: { id: 'cursor' },
    acceptRestore: { body: { reason: 'back-up of Monday' } },
    redactActivity: { id: '01HZ', body: { reason: 'asked for' } },
    createLoginLink: {},
    getConfig: {},
    acceptConfig: { body: { digest: 'a'.repeat(64) } },
    applyConfig: { body: { text: '{}' } },
    listConfigRevisions: {},
    getConfigRevision: { revision: 1 },
    rollbackConfig: { revision: 1, body: {} },
    updateConfig: { body: { quarantine: 'changed', tools: { limit: 5 } } },
    listApprovals: { status: 'pending', limit: 5 },
    getApproval: { id: '01HZ' },
    decideApproval: { id: '01HZ', body: { decision: 'approve', grant: { for: '1h', max_calls: 3 } } },
    explainApproval: { body: { tool: 'github:list_issues' } },
    replayApprovals: { body: { since: '2026-01-01T00:00:00Z', require: ['destructive'] } },
    listGrants: { active: 'true' },
    revokeGrant: { id: '01HZ' },
  };

  test.each(Object.keys(inputs) as JsonRoute[])('%s', async (name) => {
    fake.records.set('01HZ', activityRecord('01HZ'));
    const answer = await door.client.request(name, inputs[name] as never);
    expect(routes[name].output.safeParse(answer)).toMatchObject({ success: true });
  });
});

test('a link to log in leads to this machine where the proxy listens at every address', async () => {
  const info = { ...fake.parts.info, listen: () => 'http://0.0.0.0:8080' };
  const { url } = await restClient({ ...fake.parts, info }).client.request('createLoginLink', {});
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/#login=/);
});

describe('routing', () => {
  test.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v1/servers/',
    '/api/v1/servers/a/b',
    '/api/v2/status',
  ])('%s is not there', async (path) => {
    expect(await errorOf(await door.send('GET', path))).toEqual([404, 'NOT_FOUND']);
  });

  test('a wrong method says which are right', async () => {
    const response = await door.send('PUT', '/api/v1/servers/github', '{}');
    expect(response.headers.get('allow')).toBe('DELETE, GET, PATCH');
    expect(await errorOf(response)).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect((await door.send('POST', '/openapi.json')).status).toBe(405);
  });

  test('names in paths are decoded once, and only after the path was taken apart', async () => {
    expect((await door.send('GET', '/api/v1/tools/github%3Alist_issues')).status).toBe(200);
    expect(await errorOf(await door.send('GET', '/api/v1/servers/%E0%A4%A'))).toEqual([
      400,
      'INVALID_REQUEST',
    ]);
    for (const name of ['..%2Fstatus', '%252e%252e', '__proto__', 'constructor', 'a%00b']) {
      expect(await errorOf(await door.send('GET', `/api/v1/servers/${name}`))).toEqual([404, 'NOT_FOUND']);
      expect(await errorOf(await door.send('DELETE', `/api/v1/servers/${name}`))).toEqual([404, 'NOT_FOUND']);
    }
  });

  test('/openapi.json is the document', async () => {
    const document = (await (await door.send('GET', '/openapi.json')).json()) as {
      openapi: string;
      info: { version: string };
    };
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.2.3']);
  });
});

describe('FR-040 validation names the parameter and what is allowed', () => {
  test.each([
    ['PATCH', '/servers/github', '{"__proto__":{"enabled":false}}'],
    ['PATCH', '/servers/github', '{"tools":{"__proto__":{"enabled":false}}}'],
    ['POST', '/servers', '{"name":"a","config":{"command":"x","env":{"__proto__":"y"}}}'],
    ['POST', '/verdicts', '{"version":1,"verdicts":[{"__proto__":1}]}'],
  ])('a key that would be passed over in silence is refused: %s %s %s', async (method, path, body) => {
    const response = await door.send(method, API_PREFIX + path, body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('The key \\"__proto__\\" is not allowed');
  });

  test('among the arguments of a tool any key may be', async () => {
    const body = '{"tool_variant":"call_tool_read","name":"a:b","args":{"__proto__":{"c":1}}}';
    expect((await door.send('POST', `${API_PREFIX}/tools/call`, body)).status).toBe(200);
    expect(JSON.stringify(fake.calls[0]!.input)).toContain('"args":{"__proto__":{"c":1}}');
  });

  test('of very many unknown keys it names a few', async () => {
    const keys = Array.from({ length: 5000 }, (_, i) => [`${'k'.repeat(300)}${i}`, 0]);
    const response = await door.post('/tokens', { name: 'x', ...Object.fromEntries(keys) });
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(text).toContain(' and 4990 more');
    expect(text.length).toBeLessThan(10_000);
  });

  test.each([
    ['/activity?status=done', 'status', 'success'],
    ['/activity?intent_type=reading', 'intent_type', 'destructive'],
    ['/activity?type=', 'type', 'tool_call'],
    ['/activity/summary?period=2h', 'period', '24h'],
    ['/activity/export?format=xml', 'format', 'csv'],
    ['/tools?operation=delete', 'operation', 'read'],
    ['/tools?unannotated=yes', 'unannotated', 'true'],
  ])('%s', async (path, parameter, allowed) => {
    const response = await door.send('GET', API_PREFIX + path);
    const { error } = (await response.json()) as {
      error: { code: string; message: string; details: { parameter: string; allowed: string[] } };
    };
    expect([response.status, error.code, error.details.parameter]).toEqual([
      400,
      'INVALID_REQUEST',
      parameter,
    ]);
    expect(error.details.allowed).toContain(allowed);
    expect(error.message).toContain(parameter);
  });

  test.each([
    ['/activity?limit=0', 'limit', 'limit must be between 1 and 100'],
    ['/activity?limit=101', 'limit', 'limit must be between 1 and 100; got "101"'],
    ['/activity?limit=many', 'limit', 'limit must be a number; got "many"'],
    ['/activity?limit=1.5', 'limit', 'limit must be a whole number; got "1.5"'],
    ['/activity?start_time=tomorrow', 'start_time', 'ISO 8601'],
    ['/activity?status=success&status=error', 'status', 'given twice'],
    ['/activity?staus=success', 'staus', 'Unknown parameter "staus"'],
    ['/activity?__proto__=x', '__proto__', 'Unknown parameter'],
    ['/status?verbose=1', 'verbose', 'this route accepts none'],
    ['/tools/search', 'q', 'q is required'],
    ['/tools/search?q=', 'q', 'q must not be empty'],
    ['/tools?limit=1001', 'limit', 'limit must be between 1 and 1000'],
    ['/servers/github/logs?tail=-1', 'tail', 'tail must be between'],
  ])('%s', async (path, parameter, message) => {
    const response = await door.send('GET', API_PREFIX + path);
    const { error } = (await response.json()) as {
      error: { code: string; message: string; details: { parameter: string } };
    };
    expect([response.status, error.code, error.details.parameter]).toEqual([
      400,
      'INVALID_REQUEST',
      parameter,
    ]);
    expect(error.message).toContain(message);
  });
});
