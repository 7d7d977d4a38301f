import type { Command } from 'commander';
import type {
  ChatAnswer,
  ChatExplanation,
  ConversationMessage,
  ConversationReplay,
} from '../../../contract/chat.ts';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import { visibleLine, visibleText } from '../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../context.ts';
import { define, type Bind, checked } from '../define.ts';
import { fields, heading, table } from '../output/table.ts';
import { routes } from '../../../contract/routes/api.ts';
import { localTime } from '../output/time.ts';

interface ChatFlags {
  conversation?: string;
  explain?: true;
}

export function chat(bind: Bind): Command {
  return define('chat', {
    summary: 'Talk to the task assistant',
    description:
      'Talk to the task assistant: it adds, lists, completes, changes and deletes your tasks, and asks before it deletes. With a message it answers once; without one it goes on until Ctrl-D.',
    examples: [
      'mcpproxy chat',
      'mcpproxy chat "remind me to buy milk"',
      'mcpproxy chat --explain "get rid of the milk"',
    ],
    subcommands: [chatList(bind), chatShow(bind), chatReplay(bind)],
  })
    .argument('[message]', 'what to say, in quotes; absent: line by line')
    .option('--conversation <id>', 'go on with this conversation')
    .option('--explain', 'only say how it would be understood and what would be decided; nothing is done')
    .action(
      bind<ChatFlags>((context, flags, message) =>
        withProxy<number | void>(
          context,
          flags.explain ? 'daemon-or-offline' : 'daemon-or-embedded',
          (reached) =>
            message === undefined
              ? talk(context, reached, flags)
              : once(context, reached, { ...flags, message }),
        ),
      ),
    );
}

interface Turn extends ChatFlags {
  message: string;
}

async function once(context: Context, reached: Reached, turn: Turn): Promise<void> {
  const id = await say(context, reached, turn);
  if (id !== undefined && turn.conversation === undefined)
    hint(context, `go on with: mcpproxy chat --conversation ${id} "…"`);
}

/** Gives the id of the conversation, which the next message goes on with. */
async function say(
  context: Context,
  { request }: Reached,
  { conversation, explain, message }: Turn,
): Promise<string | undefined> {
  if (explain) {
    const explanation = await request('explainChat', { body: { message } });
    await print(context, explanation, () => explained(context, explanation));
    return undefined;
  }
  const body = { message, ...(conversation !== undefined && { conversation_id: conversation }) };
  const answer: ChatAnswer = await request('chat', { body });
  await print(context, answer, () => `${visibleText(answer.reply)}\n`);
  return answer.conversation_id;
}

function explained({ style }: Context, { user_intent, decision, because }: ChatExplanation): string {
  const params = Object.entries(user_intent.extracted_params).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as [string, string],
  );
  const calls = (decision.tool_calls ?? []).map(({ tool_name }) => tool_name).join(', then ');
  return [
    fields(style, [
      ['Understood', user_intent.intent_type],
      ...params,
      ['Decision', decision.decision_type],
      ['Calls', calls],
      ['Says', decision.response_text],
      ['Asks', decision.clarification_question],
    ]),
    heading(style, 'Because'),
    ...because.map((reason) => `- ${visibleLine(reason)}\n`),
  ].join('');
}

/** Line by line until the end of the input. What is wrong with one line does not end the conversation. */
async function talk(context: Context, reached: Reached, flags: ChatFlags): Promise<number> {
  let { conversation } = flags;
  let failed = false;
  if (context.io.terminal.in) hint(context, 'your task assistant; Ctrl-D ends');
  for await (const message of context.io.lines('> ', await saidBefore(reached, conversation))) {
    if (message.trim() === '') continue;
    try {
      const turn = { ...flags, message, ...(conversation !== undefined && { conversation }) };
      conversation = (await say(context, reached, turn)) ?? conversation;
    } catch (error) {
      if (!isAboutTheLine(error)) throw error;
      context.io.err(`${visibleText(error.message)}\n`);
      failed = true;
    }
  }
  if (conversation !== undefined && conversation !== flags.conversation)
    hint(context, `go on with: mcpproxy chat --conversation ${conversation}`);
  // A person has seen it; a script must be told.
  return failed && !context.io.terminal.in ? EXIT.usage : EXIT.ok;
}

function isAboutTheLine(error: unknown): error is ProxyError {
  return error instanceof ProxyError && (error.code === 'INVALID_REQUEST' || error.code === 'CONFLICT');
}

async function saidBefore({ request }: Reached, id: string | undefined): Promise<string[]> {
  if (id === undefined) return [];
  const { messages } = await request('getConversation', { id, limit: 100 });
  return messages.filter(({ role }) => role === 'user').map(({ content }) => visibleLine(content));
}

interface PageFlags {
  limit?: number;
  cursor?: string;
}

function chatList(bind: Bind): Command {
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

function chatShow(bind: Bind): Command {
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

function chatReplay(bind: Bind): Command {
  return define('replay', {
    summary: 'Decide every message of a conversation once more',
    description:
      'Decide every message of a conversation once more from what was stored with it, and show each decision that comes out otherwise. Nothing is run. Exit code 1 where something differs, as it may after an update of mcpproxy.',
    examples: [
      'mcpproxy chat replay 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11',
      'mcpproxy chat replay 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11 -o json',
    ],
  })
    .argument('<conversation>', 'its id, as "chat list" gives it')
    .action(bind((context, _flags, id) => runReplay(context, id)));
}

async function runReplay(context: Context, id: string): Promise<number> {
  const replay = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('replayConversation', { id }),
  );
  await print(context, replay, () => described(replay));
  return replay.differences.length === 0 ? EXIT.ok : EXIT.general;
}

function described({ decisions, differences }: ConversationReplay): string {
  if (differences.length === 0) return `${decisions} decisions, no difference\n`;
  const lines = differences.flatMap(({ message_id, message, was, is }) => [
    `${message_id}  ${visibleLine(message)}`,
    `  was  ${visibleLine(JSON.stringify(was))}`,
    `  is   ${visibleLine(JSON.stringify(is))}`,
  ]);
  return `${lines.join('\n')}\n${decisions} decisions, ${differences.length} differ\n`;
}
