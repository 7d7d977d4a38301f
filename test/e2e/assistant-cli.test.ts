import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from './run-cli.ts';
import { startProxy } from './start-proxy.ts';

test('line by line without a daemon; what was said is there for the next command', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const input = 'remind me to buy milk\nadd call mom\nshow my tasks\ndelete the first one\n';
  const talk = await runCli(['chat'], { home, input });
  expect(talk.stdout)
    .toBe(`I have added “buy milk” to your list. I send no reminders; what you said of the time stays in the text.
I have added “call mom” to your list.
You have 2 tasks to do:
1. buy milk
2. call mom
Say “complete 1”, for example, when you have done the first.
Shall I delete “buy milk”? Please say yes or no.
`);
  const conversation = /--conversation (\S+)/.exec(talk.stderr)![1]!;
  const yes = await runCli(['chat', 'yes', '--conversation', conversation, '-o', 'json'], { home });
  expect(JSON.parse(yes.stdout)).toMatchObject({
    reply: 'I have deleted “buy milk”.',
    decision: { decision_type: 'EXECUTE_PENDING' },
  });
  const replay = await runCli(['chat', 'replay', conversation], { home });
  expect([replay.stdout, replay.code]).toEqual(['5 decisions, no differences\n', 0]);
  const missing = await runCli(['chat', 'show', 'nothing'], { home });
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining("There is no conversation 'nothing'"),
  ]);
});

test('a question outlives a restart of the daemon, and its yes is spent once', async () => {
  const first = await startProxy();
  onTestFinished(() => first.dispose());
  const say = (proxy: typeof first, message: string, conversation_id?: string) =>
    proxy.rest.request('chat', { body: { message, ...(conversation_id && { conversation_id }) } });
  await say(first, 'add buy milk');
  const { conversation_id } = await say(first, 'delete buy milk');
  await first.stop('SIGKILL');
  const second = await startProxy({ home: first.home });
  onTestFinished(() => second.dispose());
  expect((await say(second, 'yes', conversation_id)).reply).toBe('I have deleted “buy milk”.');
  expect((await say(second, 'yes', conversation_id)).decision.decision_type).toBe('RESPOND_ONLY');
  expect((await say(second, 'show my tasks')).reply).toMatch(/Your list is empty/);
});
