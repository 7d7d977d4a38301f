import { expect, test } from 'vitest';
import { cli, type Given } from '../../../../../test/fixtures/fake-cli.ts';
import type { SetupState } from '../../runtime.ts';

const settings = { approvals: { require: [] }, intent_declaration: { unannotated: 'trust' } };
const answers = {
  status: { listen: 'http://127.0.0.1:8080' },
  getConfig: { settings },
  replayApprovals: ({ body }: { body: { require: string[] } }) => ({ calls: 10, ask: body.require.length }),
  updateConfig: { settings },
  removeServer: {},
};

function run(argv: string[], { runtime, ...given }: Given = {}) {
  const states: Array<SetupState | undefined> = [];
  const read = async () => ({
    servers: ['a'],
    clients: [],
    policy: { require: ['x'], unannotated: 'trust' },
  });
  const setup = {
    start: () => Promise.reject(new Error('not expected')),
    read: argv.includes('--undo') ? read : async () => ({ servers: [], clients: [] }),
    write: async (_: unknown, state: SetupState | undefined) => void states.push(structuredClone(state)),
  };
  return cli(['setup', ...argv], { answers, ...given, runtime: { setup, ...runtime } }).then((outcome) => ({
    ...outcome,
    states,
  }));
}

test('without a terminal it needs --yes; an unknown step is named', async () => {
  const { code, stderr } = await run([]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('or with --yes')]);
  expect((await run(['--yes', '--skip', 'imprt'])).stderr).toContain("there is no step 'imprt'");
});

test('--yes proposes to ask before destructive calls, and says what each policy would have done', async () => {
  const { code, stdout, requests, states } = await run(['--yes', '--skip', 'import,connect,browser']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /watch only[^\n]*0 of 10 recorded calls[^]*\* ask before destructive[^\n]*1 of 10[^]*every change: 2 of 10/,
  );
  expect(requests.at(-1)).toEqual([
    'updateConfig',
    { body: { approvals: { require: ['destructive'] }, intent_declaration: { unannotated: 'infer' } } },
  ]);
  expect(states.at(-1)!.policy).toEqual({ require: [], unannotated: 'trust' });
});

test('a policy that somebody has made is kept', async () => {
  const own = { approvals: { require: [{ server: 'x' }] }, intent_declaration: { unannotated: 'strict' } };
  const { requests, stdout } = await run(['--yes', '--skip', 'import,connect,browser'], {
    answers: { ...answers, getConfig: { settings: own } },
  });
  expect(requests.map(([name]) => name)).not.toContain('updateConfig');
  expect(stdout).toContain('as it is');
});

test('on a terminal each step asks; Esc leaves it as it is', async () => {
  const skip = ['--skip', 'import,connect,browser'];
  const terminal = { in: true, err: true };
  const chosen = await run(skip, { terminal, selections: [[2]] });
  expect(chosen.requests.at(-1)).toMatchObject([
    'updateConfig',
    { body: { approvals: { require: ['write', 'destructive'] } } },
  ]);
  const skipped = await run(skip, { terminal });
  expect(skipped.requests.map(([name]) => name)).not.toContain('updateConfig');
});

test('--undo removes the servers and puts the policy back', async () => {
  const { code, requests, states } = await run(['--undo']);
  expect([code, requests, states]).toEqual([
    0,
    [
      ['removeServer', { name: 'a' }],
      [
        'updateConfig',
        { body: { approvals: { require: ['x'] }, intent_declaration: { unannotated: 'trust' } } },
      ],
    ],
    [undefined],
  ]);
});
