import type { Command } from 'commander';
import { routes } from '../../../../contract/routes/api.ts';
import type { ConversationMessage } from '../../../../contract/chat.ts';
import { visibleText } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import { table } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

interface PageFlags {
  limit?: number;
  cursor?: string;
}

export function chatList(bind: Bind): Command {
  return define('list', {
    summary: 'Your conversations, the latest first',
    examples: ['mcpproxy chat list', 'mcpproxy chat list -o json'],
  })
    .addOption(
      checked(
        '--limit <n>',
        'conversations per page (1–100, default 50)',
        routes.listConversations.query.shape.limit,
      ),
    )
    .option('--cursor <cursor>', 'where the page before ended')
    .action(bind<PageFlags>(runList));
}

async function runList(context: Context, flags: PageFlags): Promise<void> {
  const page = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('listConversations', flags),
  );
  const columns = [
    { title: 'ID', whole: true },
    { title: 'UPDATED', whole: true },
    { title: 'MESSAGES', align: 'right' as const },
    { title: 'TITLE' },
  ];
  const rows = page.conversations.map(({ id, updated_at, messages, title }) => [
    id,
    localTime(updated_at),
    messages,
    title,
  ]);
  await print(context, page, () => table(context.style, columns, rows));
  if (page.next_cursor !== null) hint(context, `older ones with --cursor ${page.next_cursor}`);
  else if (rows.length === 0) hint(context, 'no conversations yet: start one with "mcpproxy chat"');
}

interface ShowFlags extends PageFlags {
  because?: true;
}

export function chatShow(bind: Bind): Command {
  return define('show', {
    summary: 'One conversation with its messages',
    examples: [
      'mcpproxy chat show 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11',
      'mcpproxy chat show 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11 --because',
    ],
  })
    .argument('<conversation>', 'its id, as "chat list" gives it')
    .option('--because', 'with how each message was understood, and why')
    .addOption(
      checked(
        '--limit <n>',
        'messages per page (1–500, default 100)',
        routes.getConversation.query.shape.limit,
      ),
    )
    .option('--cursor <cursor>', 'where the page before ended')
    .action(bind<ShowFlags>(runShow));
}

async function runShow(context: Context, { because, ...page }: ShowFlags, id?: string): Promise<void> {
  const conversation = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('getConversation', { id: id!, ...page }),
  );
  await print(context, conversation, () =>
    conversation.messages.map((message) => told(context, message, because === true)).join(''),
  );
  if (conversation.next_cursor !== null)
    hint(context, `earlier ones with --cursor ${conversation.next_cursor}`);
}

function told({ style: { colors } }: Context, message: ConversationMessage, because: boolean): string {
  const { role, content, timestamp, user_intent, decision } = message;
  const who = role === 'user' ? colors.bold('you') : colors.bold('assistant');
  const lines = [`${colors.dim(localTime(timestamp))} ${who}: ${visibleText(content)}`];
  if (because && user_intent && decision) {
    lines.push(colors.dim(`  ${user_intent.intent_type} → ${decision.decision_type}`));
    lines.push(...(message.because ?? []).map((reason) => colors.dim(`  - ${visibleText(reason)}`)));
  }
  return `${lines.join('\n')}\n`;
}
