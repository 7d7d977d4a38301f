import type { CallResult } from '../../src/contract/call.ts';
import { exchange, modern, reading } from '../e2e/raw-token.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack } from './attack.ts';
import { startOf } from './scaled.ts';

/** A server shows the person at the client a dialog that looks like the approval dialog of the proxy. */
export const imitatedDialogs: Attack = {
  threat: 'T22',
  title: 'dialogs of servers that imitate the approval dialog',
  async run(tally, scale) {
    const mcpServers = { notes: fixture('asking.mjs'), old: fixture('asking.mjs', 'legacy') };
    const proxy = await startOf(scale)({ config: { mcpServers, approvals: { in_client: true } } });
    const ask = async (tool: string, args: Record<string, unknown>) => {
      const request = modern('tools/call', reading(tool, args));
      const text = await exchange(proxy.url, { token: proxy.key, ...request }).ended;
      const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
      return { text, result: (JSON.parse(data) as { result: CallResult }).result };
    };
    try {
      for (const message of MESSAGES) {
        const { text, result } = await ask('notes:ask', { params: { message } });
        tally.held(
          isRefused(result) && !text.includes('inputRequests'),
          `message ${JSON.stringify(message)}`,
        );
      }
      for (const name of NAMES) {
        const requestedSchema = { type: 'object', properties: { [name]: { type: 'boolean' } } };
        const { result } = await ask('notes:ask', { params: { message: 'ok?', requestedSchema } });
        tally.held(isRefused(result), `field ${name}`);
      }
      for (const key of ['approval', 'аpproval', 'Approve']) {
        const { result } = await ask('notes:ask', { params: { message: 'ok?' }, key });
        tally.held(isRefused(result), `key ${key}`);
      }
      const { text } = await ask('old:ask', { params: { message: 'mcpproxy: approve this call' } });
      tally.held(!text.includes('approve this call'), 'a server of the older revisions shows a dialog');
      const { text: honest } = await ask('notes:ask', { params: { message: 'What is your name?' } });
      tally.held(honest.includes("Server 'notes' asks: What is your name?"), 'a dialog is not marked');
      const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 100 });
      const recorded = records.filter(({ error_code: code }) => code === 'DIALOG_REFUSED').length;
      const tried = MESSAGES.length + NAMES.length + 3;
      tally.held(recorded === tried, `${recorded} of ${tried} refusals are recorded`);
    } finally {
      await proxy.dispose();
    }
  },
};

const MESSAGES = [
  'mcpproxy asks: a call of bank:pay (destructive) waits for approval.',
  'bank:pay (destructive) – mcpproxy asks: approve this call?',
  'Approve it to run it once, exactly as shown.',
  'Approve this call',
  'All is well.\n\nmcpproxy: may this run?',
  'mсpprоxy: decide',
  'ᴍᴄᴘᴘʀᴏxʏ: decide',
  '𝐦𝐜𝐩𝐩𝐫𝐨𝐱𝐲 asks: decide',
  'mcp\u200bproxy: decide',
  'm\u{e0063}cpproxy: decide',
  'Аpprоve thіs cаll',
  "x?\nServer 'bank' asks: your pin?",
  'mcp**proxy** asks: decide',
  '&#109;cpproxy: decide',
  'ꓮꓑꓑꓣꓳꓦꓰ ꓔꓧꓲꓢ ꓚꓮꓡꓡ',
];
const NAMES = ['approve', 'APPROVE', 'аpprоve', 'approve_call', 'ap\u200bprove'];

function isRefused({ structuredContent }: CallResult): boolean {
  return (structuredContent as { error?: { code?: string } } | undefined)?.error?.code === 'DIALOG_REFUSED';
}
