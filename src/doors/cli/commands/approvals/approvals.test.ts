import { stripVTControlCharacters } from 'node:util';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';
import type { ApprovalDetail } from '../../../../contract/approval.ts';
import { ProxyError } from '../../../../contract/errors.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-policy-'));
afterAll(() => rmSync(dir, { recursive: true }));

const ID = '01JG2Z7K4MQX3V8R5T9W2Y6B1C';
const detail: ApprovalDetail = {
  id: ID,
  status: 'pending',
  scope: 'call',
  server: 'files',
  tool: 'delete_file',
  operation: 'destructive',
  arguments: { path: '/home/\u202eexe.txt', note: 'a\u001b[31mred' },
  arguments_truncated: false,
  arguments_masked: false,
  arguments_complete: true,
  masked_parts: [],
  digest: 'd',
  definition_hash: 'h',
  policy_version: 'v',
  rule: 'approvals.require[0] destructive',
  verdict: { verdict: 'destructive', source: 'annotation', inferred: 'destructive' },
  hints: { destructiveHint: true },
  principal: 'token:ci',
  user_id: 'local',
  source: 'mcp',
  client: 'agent\u001b]0;x\u0007/1',
  reason: 'because\u200b',
  created_at: '2025-01-15T11:59:00Z',
  expires_at: '2025-01-15T12:04:00Z',
  findings: [],
  similar: {
    record_id: '01JG000000000000000000000',
    timestamp: '2025-01-14T12:00:00Z',
    changes: [{ path: '/path', before: '- /tmp/a', after: '"/home/\u202eexe.txt"' }],
  },
};
const { similar: _similar, findings: _findings, ...approval } = detail;
const page = { approvals: [approval], next_cursor: null };

describe('seeing', () => {
  test('list shows what waits, with the time left', async () => {
    const { code, stdout, requests } = await cli(['approvals', 'list'], { answers: { listApprovals: page } });
    expect(code).toBe(0);
    expect(requests).toEqual([['listApprovals', { status: 'pending' }]]);
    expect(stdout).toMatch(new RegExp(`${ID}\\s+pending\\s+destr\\s+files:delete_file\\s+token:ci .*4m 0s`));
  });

  test('list --all asks for every status, and an empty answer says so', async () => {
    const given = { answers: { listApprovals: { approvals: [], next_cursor: null } } };
    const { requests, stderr } = await cli(['approvals', 'list', '--all', '--limit', '5'], given);
    expect(requests).toEqual([['listApprovals', { limit: 5 }]]);
    expect(stderr).toContain('No approval requests yet');
  });

  test('show has everything to decide by, and nothing that could drive the terminal', async () => {
    const { stdout } = await cli(['approvals', 'show', ID], { answers: { getApproval: detail } });
    for (const part of [
      'files:delete_file',
      'destructive (annotation)',
      'token:ci',
      'because',
      '4m 0s',
      '- /tmp/a',
      'destructiveHint',
    ])
      expect(stdout).toContain(part);
    expect(stdout).toContain('\\u202e');
    // oxlint-disable-next-line no-control-regex -- that none of them is there is the point
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u200b\u202e]/);
  });

  test('an id may be given by its beginning or its end', async () => {
    for (const part of [ID.slice(0, 12), ID.slice(-6).toLowerCase()]) {
      const { requests } = await cli(['approvals', 'show', part], {
        answers: { listApprovals: page, getApproval: detail },
      });
      expect(requests.at(-1)).toEqual(['getApproval', { id: ID }]);
    }
    expect((await cli(['approvals', 'show', 'zzzz'], { answers: { listApprovals: page } })).code).toBe(2);
    expect((await cli(['approvals', 'show', 'ab'])).code).toBe(2);
  });
});

describe('deciding', () => {
  test('approve, with a grant', async () => {
    const decided = { ...approval, status: 'approved' as const, grant_id: 'G1' };
    const given = { answers: { getApproval: detail, decideApproval: decided } };
    const argv = ['approvals', 'approve', ID, '--for', '1h', '--max-calls', '3', '--reason', 'ok', '--yes'];
    const { code, requests, stderr } = await cli(argv, given);
    expect(code).toBe(0);
    const body = { decision: 'approve', reason: 'ok', grant: { for: '1h', max_calls: 3 } };
    expect(requests).toEqual([
      ['getApproval', { id: ID }],
      ['decideApproval', { id: ID, body }],
    ]);
    expect(stderr).toContain('grants revoke G1');
  });

  const secret = 'ls # -----BEGIN PRIVATE KEY-----\nrm -rf ~/x';
  const masked: ApprovalDetail = {
    ...detail,
    arguments: { text: `${secret}⟧`, secret: { 'a/b': ['rm', 1] } },
    masked_parts: [
      { pointer: '/arguments/text', in: 'value', kind: 'private-key', start: 5, end: secret.length },
      { pointer: '/arguments/secret', in: 'value', kind: 'secret' },
    ],
  };
  const terminal = { in: true, err: true, out: true, columns: 100 };
  const approved = { getApproval: masked, decideApproval: { ...approval, status: 'approved' as const } };

  test('approve prints the call as it will run before it asks, with what is masked elsewhere in marks', async () => {
    const { requests, stdout, asked } = await cli(['approvals', 'approve', ID], {
      answers: approved,
      terminal,
      reply: 'no',
    });
    const shown = stripVTControlCharacters(stdout);
    expect(shown).toContain(
      String.raw`"text": "ls # ⟦masked private-key: -----BEGIN PRIVATE KEY-----\nrm -rf ~/x⟧\u27e7"`,
    );
    expect(shown).toContain('"secret": ⟦masked secret: {\n    "a/b": [\n      "rm",\n      1\n    ]\n  }⟧');
    expect(asked.join()).toContain('Approve files:delete_file for token:ci, once, exactly as shown?');
    expect(requests.map(([name]) => name)).toEqual(['getApproval']);
  });

  test('the call is shown where the question is asked, also if stdout goes elsewhere', async () => {
    const { stdout, stderr } = await cli(['approvals', 'approve', ID], {
      answers: approved,
      terminal: { ...terminal, out: false },
      reply: 'no',
    });
    expect(stderr).toContain('rm -rf ~/x');
    expect(stdout).not.toContain('rm -rf ~/x');
  });

  test.each([
    ['yes on a terminal', [], { terminal, reply: 'y' }],
    ['--yes', ['--yes'], { terminal }],
    ['--yes of a script', ['--yes'], {}],
  ])('approve goes on with %s', async (_, flags, how) => {
    const { requests, stdout } = await cli(['approvals', 'approve', ID, ...flags], {
      answers: approved,
      ...how,
    });
    expect(requests.map(([name]) => name)).toEqual(['getApproval', 'decideApproval']);
    expect(stdout).toContain('rm -rf ~/x');
  });

  test.each([
    ['nothing on stdin', {}],
    ['"n" on stdin', { stdin: 'n\n' }],
    ['"y" on stdin', { stdin: 'y\n', reply: 'y' }],
    ['nowhere to show the question', { terminal: { in: true }, reply: 'y' }],
  ])('approve without a terminal and without --yes decides nothing: %s', async (_, how) => {
    const outcome = await cli(['approvals', 'approve', ID], { answers: approved, ...how });
    expect([outcome.code, outcome.requests, outcome.asked]).toEqual([2, [], []]);
    expect(outcome.stderr).toContain(`mcpproxy approvals show ${ID}`);
    expect(outcome.stderr).toContain(`mcpproxy approvals approve ${ID} --yes`);
  });

  test('with -o json the call is on stderr, and stdout is one JSON text', async () => {
    const { stdout, stderr } = await cli(['approvals', 'approve', ID, '--yes', '-o', 'json'], {
      answers: approved,
    });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'approved' });
    expect(stderr).toContain('rm -rf ~/x');
  });

  test.each([
    [
      'executed',
      'was approved by operator (web) at 2025-01-15T11:58:00Z; the call ran at 2025-01-15T11:59:00Z',
    ],
    ['approved', 'was approved by operator (web) at 2025-01-15T11:58:00Z; the call has not run yet'],
  ])('approve of a request that is %s says what happened, when and by whom', async (status, text) => {
    const decided = {
      ...detail,
      status,
      decided_by: 'operator',
      decided_from: 'web',
      decided_at: '2025-01-15T11:58:00Z',
      settled_at: '2025-01-15T11:59:00Z',
    };
    const { code, stderr, requests } = await cli(['approvals', 'approve', ID, '--yes'], {
      answers: { getApproval: decided, decideApproval: decided },
    });
    expect(stderr).toContain(`Approval ${ID} ${text}. Nothing was changed`);
    expect(code).toBe(2);
    expect(requests.map(([name]) => name)).toEqual(['getApproval', 'decideApproval']);
  });

  test('deny with a reason; one that came too late is an error', async () => {
    const late = () => Promise.reject(new ProxyError('CONFLICT', 'it is executed already'));
    const { code, stderr } = await cli(['approvals', 'deny', ID, '--reason', 'no'], {
      answers: { decideApproval: late },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('executed already');
  });

  test.each([
    ['--for', 'soon'],
    ['--for', '31d'],
    ['--max-calls', '0'],
  ])('%s %s is refused', async (...flags) => {
    expect((await cli(['approvals', 'approve', ID, ...flags])).code).toBe(2);
  });
});

describe('watch', () => {
  const events =
    (...lines: string[]) =>
    () =>
      new Response(lines.map((data) => `event: approval\ndata: ${data}\n\n`).join('') + ': end\n\n');
  const terminal = { in: true, err: true, out: true, columns: 100 };
  const answers = () => ({
    events: events(JSON.stringify({ id: ID, status: 'pending', server: 'files', tool: 'delete_file' })),
    listApprovals: page,
    getApproval: { ...detail, expires_at: new Date(Date.now() + 60_000).toISOString() },
    decideApproval: { ...approval, status: 'approved' },
  });
  const decisions = (requests: Array<[string, unknown]>) =>
    requests.filter(([name]) => name === 'decideApproval');
  /** Ends the command a moment after what was to happen has happened, however long it took to begin. */
  const endAfter = (happened: () => boolean) => (interrupt: (exitCode: number) => void) => {
    const looking = setInterval(() => {
      if (!happened()) return;
      clearInterval(looking);
      setTimeout(() => interrupt(0), 200);
    }, 10);
  };

  test('y and once more y approves exactly the call that is shown', async () => {
    const keys = ['y', 'y'];
    const { code, requests, asked, stdout } = await cli(['approvals', 'watch'], {
      answers: answers(),
      terminal,
      keys,
      onStart: endAfter(() => keys.length === 0),
    });
    expect(code).toBe(0);
    expect(decisions(requests)).toEqual([['decideApproval', { id: ID, body: { decision: 'approve' } }]]);
    expect(asked[1]).toMatch(/Approve files:delete_file for token:ci, once, exactly as shown/);
    expect(stdout).toContain('files:delete_file');
    expect(requests.filter(([name]) => name === 'getApproval')).toHaveLength(1);
  });

  test('y and then anything else does not', async () => {
    const keys = ['y', 'n'];
    const { requests } = await cli(['approvals', 'watch'], {
      answers: answers(),
      terminal,
      keys,
      onStart: endAfter(() => keys.length === 0),
    });
    expect(decisions(requests)).toEqual([]);
  });

  test('n denies with the reason that is typed', async () => {
    const keys = ['n'];
    const { requests } = await cli(['approvals', 'watch'], {
      answers: answers(),
      terminal,
      keys,
      reply: ' use the archive ',
      onStart: endAfter(() => keys.length === 0),
    });
    expect(decisions(requests)).toEqual([
      ['decideApproval', { id: ID, body: { decision: 'deny', reason: 'use the archive' } }],
    ]);
  });

  const waiting = (...ids: string[]) => ({
    ...answers(),
    events: events(...ids.map((id) => JSON.stringify({ id, status: 'pending' }))),
    listApprovals: { approvals: [], next_cursor: null },
  });
  const SECOND = '01JG2Z7K4MQX3V8R5T9W2Y6B2D';

  test('what the next message of a conversation decides is shown without a question', async () => {
    const { getApproval } = answers();
    let shown = 0;
    const { code, asked, requests, stdout, stderr } = await cli(['approvals', 'watch'], {
      answers: {
        ...waiting(ID),
        getApproval: () => {
          shown++;
          return { ...getApproval, scope: 'conversation', conversation_id: 'C1' };
        },
      },
      terminal,
      keys: ['y', 'y'],
      onStart: endAfter(() => shown > 0),
    });
    expect([code, asked, decisions(requests)]).toEqual([0, [], []]);
    expect(stdout).toContain('files:delete_file');
    expect(stderr).toContain('The next message in its conversation decides: mcpproxy chat --conversation C1');
    expect(stderr).toContain(`mcpproxy approvals deny ${ID}`);
  });

  test.each<[what: string, refused: 'decideApproval' | 'getApproval', keys: string[]]>([
    ['decision', 'decideApproval', ['y', 'y', 'y', 'y']],
    ['look at a call', 'getApproval', ['y', 'y']],
  ])('an error of one %s is printed, and the next call is asked about', async (_, refused, keys) => {
    const given = waiting(ID, SECOND);
    const answerTo = (route: typeof refused) => (input: unknown) => {
      const { id } = input as { id: string };
      if (route === refused && id === ID) throw new ProxyError('APPROVAL_FORBIDDEN', 'this one is not yours');
      return { ...given[route], id };
    };
    const { code, requests, stderr } = await cli(['approvals', 'watch'], {
      answers: {
        ...given,
        getApproval: answerTo('getApproval'),
        decideApproval: answerTo('decideApproval'),
      },
      terminal,
      keys,
      onStart: endAfter(() => keys.length === 0),
    });
    expect(code).toBe(0);
    expect(stderr).toContain('this one is not yours');
    expect(decisions(requests).at(-1)).toMatchObject(['decideApproval', { id: SECOND }]);
  });

  test('where nobody can press a key it only shows', async () => {
    let isRead = false;
    const given = answers();
    const { requests, stdout } = await cli(['approvals', 'watch', '-o', 'json'], {
      answers: {
        ...given,
        events: () => {
          isRead = true;
          return given.events();
        },
      },
      keys: ['y', 'y'],
      onStart: endAfter(() => isRead),
    });
    expect(decisions(requests)).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ id: ID });
  });
});

test('explain says what would happen and why', async () => {
  const explanation = {
    tool: 'files:delete_file',
    tool_variant: 'call_tool_destructive',
    client: 'token:ci',
    outcome: 'ask',
    why: 'a person is asked: approvals.require[0] destructive',
    policy: { action: 'ask', rule: 0, reason: 'approvals.require[0] destructive', version: 'v' },
    operation: 'destructive',
    operation_reason: 'the tool is held to destructive (annotation)',
    expires_after_s: 300,
  };
  const argv = [
    'approvals',
    'explain',
    'files:delete_file',
    '--args',
    '{"path": "a"}',
    '--client',
    'token:ci',
  ];
  const { stdout, requests } = await cli(argv, { answers: { explainApproval: explanation } });
  expect(requests).toEqual([
    ['explainApproval', { body: { tool: 'files:delete_file', args: { path: 'a' }, client: 'token:ci' } }],
  ]);
  for (const part of ['needs approval', 'approvals.require[0]', 'held to destructive', '5m 0s'])
    expect(stdout).toContain(part);
  expect((await cli(['approvals', 'explain', 'a:b', '--args', '[1]'])).code).toBe(2);
});

describe('replay', () => {
  const replay = {
    since: 's',
    until: 'u',
    policy_version: 'v',
    calls: 10,
    allow: 7,
    ask: 2,
    refuse: 1,
    truncated: false,
    tools: [
      { tool: 'files:delete_file', allow: 0, ask: 2, refuse: 1, reason: 'approvals.require[0] destructive' },
    ],
    examples: [
      {
        record_id: 'R',
        timestamp: '2025-01-14T12:00:00Z',
        tool: 'files:delete_file',
        action: 'ask',
        reason: 'x',
        status: 'success',
      },
    ],
  };

  test.each([
    [['destructive']],
    [{ require: ['destructive'] }],
    [{ approvals: { require: ['destructive'] } }],
  ])('a policy as %j', async (policy) => {
    const file = join(dir, 'policy.json');
    writeFileSync(file, JSON.stringify(policy));
    const { stdout, stderr, requests } = await cli(
      ['approvals', 'replay', '--since', '7d', '--policy', file],
      { answers: { replayApprovals: replay } },
    );
    expect(requests).toEqual([
      ['replayApprovals', { body: { since: '2025-01-08T12:00:00.000Z', require: ['destructive'] } }],
    ]);
    expect(stdout).toMatch(/files:delete_file\s+0\s+2\s+1/);
    expect(stderr).toContain('Of 10 calls, 2 would have needed approval and 1 would have been refused');
  });

  test('a configuration with comments is read like the one in use', async () => {
    const file = join(dir, 'commented.json');
    writeFileSync(file, '{\n  // Comments are allowed.\n  "approvals": { "require": ["write"], },\n}\n');
    const { requests } = await cli(['approvals', 'replay', '--policy', file], {
      answers: { replayApprovals: replay },
    });
    expect(requests[0]).toMatchObject(['replayApprovals', { body: { require: ['write'] } }]);
  });

  test('a file that cannot be used is named with the reason', async () => {
    const file = join(dir, 'cut.json');
    writeFileSync(file, '{\n  "approvals": ');
    const cut = await cli(['approvals', 'replay', '--policy', file]);
    expect(cut.stderr).toContain(`Cannot read the policy from ${file}: line 2: invalid JSON`);
    const missing = await cli(['approvals', 'replay', '--policy', join(dir, 'nofile.json')]);
    expect(missing.stderr).toContain('nofile.json: there is no such file');
  });

  test.each(['{"require": ["nonsense"]}', '{', '{}', 'null'])('%s is no policy', async (text) => {
    const file = join(dir, 'bad.json');
    writeFileSync(file, text);
    expect((await cli(['approvals', 'replay', '--policy', file])).code).toBe(2);
  });
});

test('grants: listed while they hold, and revoked', async () => {
  const grant = {
    id: 'G1',
    status: 'active',
    server: 'files',
    tool: 'delete_file',
    principal: 'token:ci',
    user_id: 'local',
    definition_hash: 'h',
    created_at: '2025-01-15T11:00:00Z',
    created_by: 'operator',
    created_from: 'cli',
    expires_at: '2025-01-15T13:00:00Z',
    max_calls: 5,
    used: 2,
  };
  const listed = await cli(['approvals', 'grants', 'list'], { answers: { listGrants: { grants: [grant] } } });
  expect(listed.requests).toEqual([['listGrants', { active: 'true' }]]);
  expect(listed.stdout).toContain('2 of 5');
  const revoked = await cli(['approvals', 'grants', 'revoke', 'G1'], {
    answers: { revokeGrant: { ...grant, status: 'revoked' } },
  });
  expect(revoked.stdout).toContain('revoked');
});

describe('call waits for a person', () => {
  const pending = new ProxyError('APPROVAL_PENDING', 'waits', { approval_id: ID, expires_at: 'later' });
  const argv = ['call', 'tool-destructive', 'files:delete_file', '--args', '{}'];

  test('with one note on stderr, and in one second request with the same body', async () => {
    let n = 0;
    const callTool = () =>
      ++n < 2 ? Promise.reject(pending) : { content: [{ type: 'text', text: 'done' }] };
    const { code, stdout, stderr, requests } = await cli([...argv, '-o', 'json'], { answers: { callTool } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ text: 'done' }] });
    expect(stderr.match(/Waiting for approval/g)).toHaveLength(1);
    const bodies = requests.map(([, input]) => (input as { body: Record<string, unknown> }).body);
    const waits = bodies.map(({ approval_wait: wait }) => wait);
    expect(waits).toEqual(['1s', '86400000ms']);
    expect(bodies[1]).toEqual({ ...bodies[0], approval_wait: '86400000ms' });
  });

  test('and ends where the proxy stops before a decision: the call is still pending', async () => {
    const callTool = () => Promise.reject(pending);
    const { code, stderr, requests } = await cli(argv, { answers: { callTool } });
    expect([code, requests.length]).toEqual([3, 2]);
    expect(stderr).toContain('APPROVAL_PENDING');
  });

  test.each(['APPROVAL_DENIED', 'APPROVAL_EXPIRED', 'POLICY_REFUSED'] as const)(
    '%s ends it with exit code 3',
    async (code) => {
      const callTool = () => Promise.reject(new ProxyError(code, 'no'));
      expect((await cli(argv, { answers: { callTool } })).code).toBe(3);
    },
  );

  test('without a daemon nobody could decide meanwhile, so it says how to go on', async () => {
    const { code, stderr, requests } = await cli(argv, {
      embedded: true,
      answers: { callTool: () => Promise.reject(pending) },
    });
    expect([code, requests.length]).toEqual([3, 1]);
    expect(stderr).toContain('approvals list');
  });
});
