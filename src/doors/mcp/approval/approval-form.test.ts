import { expect, test } from 'vitest';
import { CODE_POINTS, isAlike, isUnseen } from '../../../../test/fixtures/unseen-characters.ts';
import type { Approval } from '../../../contract/approval.ts';
import { markDialogs } from '../../../road/dialogs/mark-dialogs.ts';
import { approvalForm, isShownWhole, readAnswer } from './approval-form.ts';

const approval = {
  id: '01A',
  status: 'pending',
  server: 'up',
  tool: 'wipe',
  operation: 'destructive',
  arguments: { path: '/tmp' },
  arguments_truncated: false,
  arguments_masked: false,
} as Approval;
const messageOf = (shown: Approval) => approvalForm(shown)!.message as string;
const YES = { action: 'accept', content: { approve: true } };

test('a call that is shown to its end can be approved in its dialog', () => {
  expect(isShownWhole(approval)).toBe(true);
  expect(messageOf(approval)).toContain('{"path":"/tmp"}');
  const brings = { ...approval, input_responses: { name: 'all of it' } };
  expect(messageOf(brings)).toContain('{"name":"all of it"}');
  expect(readAnswer(YES)).toEqual({ action: 'accept', approve: true });
});

test('a client that cuts a dialog after a few lines shows what matters: the tool first, one line each', () => {
  expect(messageOf({ ...approval, reason: 'tidy up' }).split('\n')).toEqual([
    'up:wipe (destructive) – mcpproxy asks: approve this call?',
    'Arguments: {"path":"/tmp"}',
    'Stated reason: tidy up',
    'Approve it to run it once, exactly as shown.',
  ]);
});

test('arguments that are long for one line are shown on several', () => {
  const long = { ...approval, arguments: { path: '/tmp', note: 'x'.repeat(400) } };
  expect(messageOf(long)).toContain('Arguments: {\n  "path": "/tmp",\n  "note": "xxx');
});

test.each<[string, Partial<Approval>]>([
  ['is longer than the dialog', { arguments: { note: 'x'.repeat(4_000), path: '/' } }],
  ['is not kept in full', { arguments_truncated: true }],
  ['is masked', { arguments_masked: true }],
  ['has too many lines', { arguments: { list: Array.from({ length: 120 }, () => 'abc') } }],
  ['has control characters', { arguments: { path: '/tmp\u001b[8m; rm -rf ~/x' } }],
  ['has half a character', { arguments: { path: '/tmp\ud800' } }],
  ['has invisible characters', { arguments: { path: '/tmp\u200b' } }],
  ['has tag characters', { arguments: { path: '/tmp\u{e0041}' } }],
  ['turns its direction', { arguments: { path: '/tmp\u202e' } }],
  ['has letters from right to left', { arguments: { path: 'rm \u05d0 /tmp' } }],
  ['has such characters in a key', { arguments: { 'a\u200b': 1 } }],
  ['pushes its end out of sight', { arguments: { path: `/tmp${' '.repeat(40)}; rm -rf ~/x` } }],
  [
    'has selectors of Mongolian and musical formats',
    { arguments: { path: `ls${'\u{1d173}'.repeat(50)}\u180b` } },
  ],
  ['has unassigned characters only', { arguments: { path: '\ufff0\u{e0080}\u{e0fff}' } }],
  [
    'pushes its end out of sight with empty glyphs',
    { arguments: { path: `ls ${'\u2800'.repeat(1500)} ; rm -rf /` } },
  ],
  ['brings a long answer to its server', { input_responses: { name: 'x'.repeat(4_000) } }],
])('nobody approves in a dialog what it does not show: a call that %s', (_, more) => {
  expect(isShownWhole({ ...approval, ...more })).toBe(false);
  // No dialog is shown where nothing could be decided in it.
  expect(approvalForm({ ...approval, ...more })).toBeUndefined();
});

test('no character that nobody sees can be approved in a dialog, in a value or in a key', () => {
  // JSON writes these as \b, \f and \r, which a person sees.
  const written = new Set([0x08, 0x0c, 0x0d]);
  // Every one of them is tried in visible-text.test.ts.
  const tried = CODE_POINTS.filter((code) => isUnseen(code) && !isAlike(code) && !written.has(code));
  const approvable = tried.filter((code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    return [{ path: text }, { [text]: 1 }].some((args) => isShownWhole({ ...approval, arguments: args }));
  });
  expect(approvable.slice(0, 20).map((code) => code.toString(16))).toEqual([]);
});

test('the choice has no default, which a program that accepts by itself would fill in', () => {
  expect(JSON.stringify(approvalForm(approval)!.requestedSchema)).not.toContain('default');
});

test.each([[String.raw`C:\users\u0041`], ['a\nb\tc\r\n'], ['Zoë, 你好, 🎉'], ['{"a": "b\\\\u"}']])(
  '%j is shown as it is, and can be approved',
  (path) => {
    expect(isShownWhole({ ...approval, arguments: { path } })).toBe(true);
  },
);

test('what the agent says is on one line, and looks like nothing of ours', () => {
  const reason = 'tidy up\nArguments: {}\nApprove it to run it once, exactly as shown.';
  const message = messageOf({ ...approval, reason });
  expect(message.split('\n').filter((line) => line.startsWith('Arguments:'))).toHaveLength(1);
  expect(message.split('\n').filter((line) => line.startsWith('Approve it'))).toHaveLength(1);
});

test('no server can show this dialog as its own: each of its sentences, its field and its key are refused', () => {
  const refused = (text: string) => {
    const params = { message: text };
    const inputRequests = { a: { method: 'elicitation/create', params } };
    try {
      markDialogs('up', 'ask', { resultType: 'input_required', inputRequests });
      return false;
    } catch {
      return true;
    }
  };
  const { message, requestedSchema } = approvalForm(approval) as unknown as {
    message: string;
    requestedSchema: { properties: Record<string, { title: string }> };
  };
  const [first, ...rest] = message.split('\n');
  expect([first, rest.at(-1)].map((line) => refused(line!))).toEqual([true, true]);
  for (const [, { title }] of Object.entries(requestedSchema.properties)) expect(refused(title)).toBe(true);
  const form = { message: 'ok?', requestedSchema };
  const asking = (key: string) => ({
    resultType: 'input_required',
    inputRequests: { [key]: { method: 'elicitation/create', params: form } },
  });
  expect(() => markDialogs('up', 'ask', asking('a'))).toThrow(/field name/);
});
