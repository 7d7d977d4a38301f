import { describe, expect, test } from 'vitest';
import { ProxyError } from '../../../../contract/errors.ts';
import type { JudgedTool, ToolDiff } from '../../../../contract/tool.ts';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';

function tool(name: string, changes: Partial<JudgedTool> = {}): JudgedTool {
  return {
    name,
    description: 'Delete a repository\nfor ever',
    inputSchema: { type: 'object', properties: { repo: { type: 'string' } } },
    server: 'github',
    annotations: { destructiveHint: true },
    call_with: 'call_tool_destructive',
    operation: { verdict: 'destructive', source: 'annotation', inferred: 'destructive' },
    standing: 'accepted',
    withheld: false,
    definition_hash: 'abc',
    accepted: { by: 'first use', at: '2026-11-15T12:00:00.000Z' },
    first_seen: '2026-11-15T12:00:00.000Z',
    changed_at: '2026-11-15T12:00:00.000Z',
    book: {
      hinted: 'destructive',
      held: 'destructive',
      inferred: { operation: 'destructive', reason: 'its name says "delete"' },
      decision: null,
      enforced: 'destructive',
    },
    suspicious: false,
    findings: [],
    ...changes,
  };
}

const entry = tool('github:delete_repo');

const APPROVAL: ToolDiff['approval'] = {
  before: { operation: 'destructive', source: 'annotation', variants: ['call_tool_destructive'] },
  after: { operation: 'read', source: 'annotation', variants: ['call_tool_read', 'call_tool_destructive'] },
  keeps: 'destructive',
  consequence: 'After this, agents may call it as read.',
};

describe('tools list', () => {
  test('one line per tool, with its operation and where that comes from', async () => {
    const outcome = await cli(
      ['tools', 'list', '--server', 'github', '--operation', 'destructive', '--unannotated', '--limit', '5'],
      {
        answers: { listTools: { tools: [entry], next_cursor: 'n', total: 9 } },
      },
    );
    expect(outcome.connects).toEqual([[{}, 'daemon-or-embedded']]);
    expect(outcome.requests).toEqual([
      ['listTools', { server: 'github', operation: 'destructive', unannotated: 'true', limit: 5 }],
    ]);
    expect(outcome.stdout).toBe(
      'TOOL                OPERATION  SOURCE      DESCRIPTION\ngithub:delete_repo  destr      annotation  Delete a repository\n',
    );
    expect(outcome.stderr).toBe('Showing 1 of 9 tools. For more add: --limit N or --cursor n\n');
  });

  test('an empty catalog says how to fill it', async () => {
    const { stderr } = await cli(['tools', 'list'], {
      answers: { listTools: { tools: [], next_cursor: null, total: 0 } },
    });
    expect(stderr).toContain('mcpproxy upstream add');
  });
});

describe('tools that changed', () => {
  const changed = tool('github:delete_repo', { standing: 'changed', withheld: true });

  test('list --changed --withheld asks for them and shows where they stand', async () => {
    const { stdout, requests } = await cli(['tools', 'list', '--changed', '--withheld'], {
      answers: { listTools: { tools: [changed], next_cursor: null, total: 1 } },
    });
    expect(requests).toEqual([['listTools', { changed: 'true', withheld: 'true' }]]);
    expect(stdout).toMatch(/SOURCE +STATUS +DESCRIPTION\n.*annotation +changed, withheld +Delete/);
    const feared = tool('github:delete_repo', { withheld: true });
    const scanned = await cli(['tools', 'list'], {
      answers: { listTools: { tools: [feared], next_cursor: null, total: 1 } },
    });
    expect(scanned.stdout).toContain('accepted, withheld');
    const none = await cli(['tools', 'list', '--changed'], {
      answers: { listTools: { tools: [], next_cursor: null, total: 0 } },
    });
    expect(none.stderr).toContain('No tools match these filters');
  });

  test('diff: only the lines that differ, made visible', async () => {
    const diff = {
      name: changed.name,
      standing: 'changed' as const,
      withheld: true,
      definition_hash: 'abc',
      accepted: { by: 'ann', at: '2026-11-15T12:00:00.000Z' },
      changes: [
        { path: '/description', before: '"same\\nold\\nsame"', after: '"same\\nnew\\u001b[31m\\nsame"' },
        { path: '/inputSchema/properties/x', after: '{\n  "type": "string"\n}' },
        { path: '/title', before: '"gone' },
      ],
      notes: ['there are more changes than are shown'],
      inferred: { operation: 'destructive', reason: 'its name says "delete"' },
      approval: APPROVAL,
    };
    const { stdout, stderr } = await cli(['tools', 'diff', changed.name], { answers: { diffTool: diff } });
    expect(stdout).toContain('changed, withheld from agents');
    expect(stdout).toContain('there are more changes than are shown\n');
    expect(stdout).toMatch(/\/description\n- old\n\+ new.*\[31m\n\n/);
    expect(stdout).not.toContain('\u001b[31m');
    expect(stdout).toContain('/inputSchema/properties/x\n+ {\n+   "type": "string"\n+ }\n');
    expect(stdout).toContain('/title\n- "gone\n');
    expect(stdout).toMatch(/Current verdict +destructive, with call_tool_destructive\n/);
    expect(stdout).toMatch(/If accepted +read, with call_tool_read, call_tool_destructive\n/);
    expect(stdout).toContain(APPROVAL.consequence);
    expect(stderr).toContain('mcpproxy tools approve github:delete_repo --hash abc');
    const same = { ...diff, standing: 'accepted' as const, withheld: false, changes: [], notes: [] };
    expect((await cli(['tools', 'diff', changed.name], { answers: { diffTool: same } })).stdout).toContain(
      'No differences',
    );
  });

  test.each(['approve', 'reject'])(
    '%s with an empty hash is a usage error: an unset variable accepts nothing',
    async (verb) => {
      for (const given of [['--hash', ''], ['--hash='], ['--hash', ' ']]) {
        const { code, requests, stderr } = await cli(['tools', verb, changed.name, ...given, '--yes'], {
          answers: { approveTool: entry, rejectTool: entry },
        });
        expect([code, requests]).toEqual([2, []]);
        expect(stderr).toContain('--hash is empty');
      }
    },
  );

  test('approve --hash, and a whole server', async () => {
    const one = await cli(['tools', 'approve', changed.name, '--hash', 'abc', '--yes'], {
      answers: { approveTool: entry },
    });
    expect(one.requests).toEqual([['approveTool', { name: changed.name, hash: 'abc' }]]);
    const all = await cli(['upstream', 'approve', 'github', '--yes'], {
      answers: {
        approveServer: {
          server: 'github',
          approved: [changed.name],
          skipped: [{ tool: 'github:x', why: 'later' }],
          total: 4,
        },
      },
    });
    expect([all.stdout, all.stderr]).toEqual([
      'github:delete_repo\n',
      'Accepted 1 of 4 tools.\nNot accepted: github:x (later)\n',
    ]);
  });
});

describe('tools verdicts', () => {
  const file = { version: 1 as const, verdicts: [{ server: 'a', tool: 'b', operation: 'read' as const }] };

  test('export writes JSON to stdout', async () => {
    const { stdout } = await cli(['tools', 'verdicts', 'export'], { answers: { exportVerdicts: file } });
    expect(JSON.parse(stdout)).toEqual(file);
  });

  test('import from stdin says what changed', async () => {
    const result = {
      dry_run: true,
      unchanged: 1,
      changed: [{ tool: 'a:b', before: null, after: 'read' as const }],
      skipped: [{ tool: 'a:c', why: 'the configuration sets its operation' }],
      unlisted: 1,
    };
    const { stdout, stderr, requests } = await cli(['tools', 'verdicts', 'import', '-', '--dry-run'], {
      answers: { importVerdicts: result },
      stdin: JSON.stringify(file),
    });
    expect(requests).toEqual([['importVerdicts', { dry_run: 'true', body: file }]]);
    expect(stdout).toMatch(/a:b +- +read\na:c +- +skipped: the configuration sets its operation/);
    expect(stderr).toBe(
      '1 verdict would change (1 for tools that no server lists now), 1 unchanged, 1 skipped.\n',
    );
  });

  test('a file that is none is refused here', async () => {
    const { code, stderr, requests } = await cli(['tools', 'verdicts', 'import', '-'], {
      stdin: '{"version":1}',
    });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain('is not a valid file of verdicts: verdicts');
  });
});

describe('tools verdicts suggest', () => {
  const inferred = { operation: 'read' as const, reason: 'its description says "returns"' };
  const open = tool('github:stars', { book: { ...entry.book, inferred } });
  const others = [
    tool('github:feared', { book: { ...entry.book, inferred }, suspicious: true }),
    tool('github:hidden', { book: { ...entry.book, inferred }, withheld: true }),
    tool('github:decided', {
      book: { ...entry.book, inferred, decision: { operation: 'write', by: 'ann' } },
    }),
  ];
  const answers = {
    listTools: { tools: [open, ...others], next_cursor: null, total: 4 },
    importVerdicts: {
      dry_run: false,
      unchanged: 0,
      changed: [{ tool: 'github:stars', before: null, after: 'read' as const }],
      skipped: [],
      unlisted: 0,
    },
  };
  const listed = ['listTools', { inferred: 'read', unannotated: 'true', limit: 1000 }];

  test('a script only sees them; what is withheld, has a finding or a verdict is left out', async () => {
    const { stdout, stderr, requests } = await cli(['tools', 'verdicts', 'suggest'], { answers });
    expect(requests).toEqual([listed]);
    expect(stdout).toMatch(/github:stars +its description says/);
    expect(stdout).not.toMatch(/feared|hidden|decided/);
    expect(stderr).toBe('No verdict was changed.\n');
  });

  test('--yes accepts them together', async () => {
    const { stderr, requests } = await cli(['tools', 'verdicts', 'suggest', '--yes'], { answers });
    const verdicts = [{ server: 'github', tool: 'stars', operation: 'read' }];
    expect(requests).toEqual([listed, ['importVerdicts', { body: { version: 1, verdicts } }]]);
    expect(stderr).toBe('1 tool accepted as reads, 0 skipped.\n');
  });
});

describe('tools search', () => {
  const scored = { ...entry, score: 0.873, why: [{ term: 'delet', field: 'name', score: 2.5 }] };
  const answers = { searchTools: { tools: [scored], total: 1, query: 'delete repo' } };

  test('words need no quotes', async () => {
    const { stdout, requests } = await cli(['tools', 'search', 'delete', 'repo', '--limit', '3'], {
      answers,
    });
    expect(requests).toEqual([['searchTools', { q: 'delete repo', limit: 3 }]]);
    expect(stdout).toMatch(/^ 0\.87 {2}github:delete_repo {2}destr +Delete a repository$/m);
  });

  test('--explain says which words matched where', async () => {
    const { stdout, requests } = await cli(
      ['tools', 'search', 'delete repo', '--explain', '--server', 'github', '--operation', 'read'],
      { answers },
    );
    expect(requests).toEqual([
      ['searchTools', { q: 'delete repo', explain: 'true', server: 'github', operation: 'read' }],
    ]);
    expect(stdout).toContain('delet in name 2.50');
  });
});

describe('tools show', () => {
  test('schema, hints, verdict and the command to call it', async () => {
    const { stdout, requests } = await cli(['tools', 'show', 'github:delete_repo'], {
      answers: { getTool: entry },
    });
    expect(requests).toEqual([['getTool', { name: 'github:delete_repo' }]]);
    expect(stdout).toContain('mcpproxy call tool-destructive github:delete_repo');
    expect(stdout).toContain('Description\nDelete a repository\nfor ever\n');
    expect(stdout).toContain('"destructiveHint": true');
    expect(stdout).toContain('"repo": {');
  });

  test('-o json is the entry itself', async () => {
    expect(
      JSON.parse((await cli(['tools', 'show', 'x:y', '-o', 'json'], { answers: { getTool: entry } })).stdout),
    ).toEqual(entry);
  });

  test('an unknown tool: the message with the nearest names, and how to search', async () => {
    const error = new ProxyError(
      'TOOL_NOT_FOUND',
      "Tool 'github:delete' not found. Did you mean 'github:delete_repo'?",
    );
    const { code, stderr } = await cli(['tools', 'show', 'github:delete'], {
      answers: { getTool: () => Promise.reject(error) },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("Did you mean 'github:delete_repo'?");
    expect(stderr).toContain('mcpproxy tools search');
  });
});

describe('the operator decides', () => {
  const decided = tool('github:delete_repo', {
    operation: { verdict: 'write', source: 'operator', inferred: 'destructive', reason: 'set' },
  });

  test('set-operation sets and clears', async () => {
    const answers = { setOperation: decided, clearOperation: entry };
    const set = await cli(['tools', 'set-operation', 'github:delete_repo', 'write'], { answers });
    expect(set.requests).toEqual([
      ['setOperation', { name: 'github:delete_repo', body: { operation: 'write' } }],
    ]);
    expect(set.stdout).toMatch(/Operation +write\nDecided by +operator/);
    const cleared = await cli(['tools', 'set-operation', 'github:delete_repo', 'clear'], { answers });
    expect(cleared.requests).toEqual([['clearOperation', { name: 'github:delete_repo' }]]);
  });

  test('set-operation knows the operations', async () => {
    const { code, stderr } = await cli(['tools', 'set-operation', 'github:delete_repo', 'harmless']);
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are read, write, destructive, clear.');
  });

  test('approve', async () => {
    const { requests, code } = await cli(['tools', 'approve', 'github:delete_repo', '--yes'], {
      answers: { approveTool: entry },
    });
    expect([code, requests]).toEqual([0, [['approveTool', { name: 'github:delete_repo' }]]]);
  });
});

describe('deciding about a changed tool', () => {
  const name = entry.name;
  const diff: ToolDiff = {
    name,
    standing: 'changed',
    withheld: true,
    definition_hash: 'abc',
    accepted: null,
    changes: [],
    notes: [],
    inferred: { operation: 'destructive', reason: 'its name says "wipe"' },
    approval: APPROVAL,
  };
  const answers = { diffTool: diff, approveTool: entry, rejectTool: { ...entry, withheld: true } };
  const terminal = { in: true, err: true };

  test.each<[reply: string, requests: unknown[]]>([
    ['y', [['approveTool', { name, hash: 'abc' }]]],
    ['k', [['approveTool', { name, hash: 'abc', keep_operation: 'true' }]]],
    ['r', [['rejectTool', { name, hash: 'abc' }]]],
    ['', []],
  ])('shows what follows and asks; %j is what is done', async (reply, requests) => {
    const outcome = await cli(['tools', 'approve', name], { answers, terminal, reply });
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toContain(APPROVAL.consequence);
    expect(outcome.stderr).toMatch(/Inferred.*destructive: its name says "wipe"/);
    expect(outcome.asked[0]).toContain('keep as destructive');
    expect(outcome.requests).toEqual([['diffTool', { name }], ...requests]);
  });

  test.each([
    ['approve', '--keep-operation', ['approveTool', { name, hash: 'abc', keep_operation: 'true' }]],
    ['reject', '--hash=abc', ['rejectTool', { name, hash: 'abc' }]],
  ])('%s %s asks a plain question', async (verb, flag, request) => {
    const argv = ['tools', verb, name, flag];
    expect((await cli(argv, { answers, terminal, reply: 'y' })).requests.at(-1)).toEqual(request);
    expect((await cli(argv, { answers, terminal, reply: 'n' })).requests).toHaveLength(1);
  });

  test('another definition than the one that was looked at is not asked about', async () => {
    const outcome = await cli(['tools', 'approve', name, '--hash', 'old'], { answers, terminal, reply: 'y' });
    expect([outcome.asked, outcome.requests]).toEqual([[], [['diffTool', { name }]]]);
    expect(outcome.code).not.toBe(0);
  });

  test.each([
    ['tools', 'approve', name],
    ['tools', 'reject', name],
    ['upstream', 'approve', 'github'],
  ])('%s %s is refused where nobody can be asked, with the next step', async (...argv) => {
    const { code, requests, stderr } = await cli(argv, { answers });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toMatch(/needs confirmation\. Check "mcpproxy tools .*--yes/);
  });

  test('a whole server is accepted after a question that names weaker hints', async () => {
    const book = { ...entry.book, hinted: 'read' as const };
    const listed = { tools: [{ ...entry, standing: 'changed', book }], next_cursor: null, total: 1 };
    const given = {
      answers: {
        listTools: listed,
        approveServer: { server: 'github', approved: [], skipped: [], total: 1 },
      },
      terminal,
    };
    const outcome = await cli(['upstream', 'approve', 'github'], { ...given, reply: 'y' });
    expect(outcome.stderr).toContain('github:delete_repo: destructive now, read if accepted');
    expect(outcome.asked[0]).toContain('1 tool new or changed, 1 with weaker hints');
    expect(outcome.requests.at(-1)).toEqual(['approveServer', { name: 'github' }]);
    const left = await cli(['upstream', 'approve', 'github'], { ...given, reply: '' });
    expect(left.requests).toHaveLength(1);
  });
});
