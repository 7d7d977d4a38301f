import type { Command } from 'commander';
import type {
  ChatAnswer,
  ChatExplanation,
  ConversationMessage,
  ConversationReplay,
} from '../../../contract/chat.ts';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import { counted, visibleLine, visibleText } from '../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../context.ts';
import { define, type Bind, checked } from '../define.ts';
import { fields, heading, table } from '../output/table.ts';
import { localTime } from '../output/time.ts';

interface ChatFlags {
  conversation?: string;
  explain?: true;
}

export function chat(bind: Bind): Command {
  return define('chat', {
    summary: 'Chat with the task assistant',
    description:
      'Chat with the task assistant: it adds, lists, completes, changes and deletes your tasks, and asks before it deletes. With a message the command answers it and exits; without one it reads messages until Ctrl-D.',
    examples: [
      'mcpproxy chat',
      'mcpproxy chat "remind me to buy milk"',
      'mcpproxy chat --explain "get rid of the milk"',
    ],
    subcommands: [chatList(bind), chatShow(bind), chatInvocations(bind), chatReplay(bind)],
  })
    .argument('[message]', 'the message, in quotes (default: read messages line by line)')
    .option('--conversation <id>', 'continue this conversation')
    .option('--explain', 'only show how the message would be understood and what would be decided')
    .action(
      bind<ChatFlags>((context, flags, message) =>
        withProxy<number | void>(
          context,
          flags.explain ? 'daemon-or-offline' : 'daemon-or-embedded',
          (reached) =>
            message === undefined
              ? readMessages(context, reached, flags)
              : sendOne(context, reached, { ...flags, message }),
        ),
      ),
    );
}

interface Turn extends ChatFlags {
  message: string;
}

async function sendOne(context: Context, reached: Reached, turn: Turn): Promise<void> {
  const id = await sendMessage(context, reached, turn);
  if (id !== undefined && turn.conversation === undefined)
    hint(context, `Continue with: mcpproxy chat --conversation ${id} "…"`);
}

/** Sends a message and prints the reply. Returns the id of the conversation. */
async function sendMessage(
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

/** Reads messages until the end of the input. A rejected message does not end the conversation. */
async function readMessages(context: Context, reached: Reached, flags: ChatFlags): Promise<number> {
  let { conversation } = flags;
  let failed = false;
  if (context.io.terminal.in) hint(context, 'Task assistant. Press Ctrl-D to exit.');
  for await (const message of context.io.lines('> ', await earlierMessages(reached, conversation))) {
    if (message.trim() === '') continue;
    try {
      const turn = { ...flags, message, ...(conversation !== undefined && { conversation }) };
      conversation = (await sendMessage(context, reached, turn)) ?? conversation;
    } catch (error) {
      if (!isRejectedMessage(error)) throw error;
      context.io.err(`${visibleText(error.message)}\n`);
      failed = true;
    }
  }
  if (conversation !== undefined && conversation !== flags.conversation)
    hint(context, `Continue with: mcpproxy chat --conversation ${conversation}`);
  // A person has seen the error; a script needs the exit code.
  return failed && !context.io.terminal.in ? EXIT.usage : EXIT.ok;
}

function isRejectedMessage(error: unknown): error is ProxyError {
  return error instanceof ProxyError && (error.code === 'INVALID_REQUEST' || error.code === 'CONFLICT');
}

async function earlierMessages({ request }: Reached, id: string | undefined): Promise<string[]> {
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
    summary: 'List your conversations, newest first',
    examples: ['mcpproxy chat list', 'mcpproxy chat list -o json'],
  })
    .addOption(
      checked(
        '--limit <n>',
        'conversations per page (1–100, default 50)',
        ({ routes }) => routes.listConversations.query.shape.limit,
      ),
    )
    .option('--cursor <cursor>', 'continue after the previous page')
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
  if (page.next_cursor !== null) hint(context, `For older conversations add: --cursor ${page.next_cursor}`);
  else if (rows.length === 0) hint(context, 'No conversations yet. Start one with "mcpproxy chat".');
}

interface ShowFlags extends PageFlags {
  because?: true;
}

function chatShow(bind: Bind): Command {
  return define('show', {
    summary: 'Show a conversation and its messages',
    examples: [
      'mcpproxy chat show 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11',
      'mcpproxy chat show 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11 --because',
    ],
  })
    .argument('<conversation>', 'its id, as printed by "chat list"')
    .option('--because', 'also show how each message was understood, and why')
    .addOption(
      checked(
        '--limit <n>',
        'messages per page (1–500, default 100)',
        ({ routes }) => routes.getConversation.query.shape.limit,
      ),
    )
    .option('--cursor <cursor>', 'continue after the previous page')
    .action(bind<ShowFlags>(runShow));
}

async function runShow(context: Context, { because, ...page }: ShowFlags, id?: string): Promise<void> {
  const conversation = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('getConversation', { id: id!, ...page }),
  );
  await print(context, conversation, () =>
    conversation.messages.map((message) => messageText(context, message, because === true)).join(''),
  );
  if (conversation.next_cursor !== null)
    hint(context, `For earlier messages add: --cursor ${conversation.next_cursor}`);
}

function messageText({ style: { colors } }: Context, message: ConversationMessage, because: boolean): string {
  const { role, content, timestamp, user_intent, decision } = message;
  const who = role === 'user' ? colors.bold('you') : colors.bold('assistant');
  const lines = [`${colors.dim(localTime(timestamp))} ${who}: ${visibleText(content)}`];
  if (because && user_intent && decision) {
    lines.push(colors.dim(`  ${user_intent.intent_type} → ${decision.decision_type}`));
    lines.push(...(message.because ?? []).map((reason) => colors.dim(`  - ${visibleText(reason)}`)));
  }
  return `${lines.join('\n')}\n`;
}

function chatInvocations(bind: Bind): Command {
  return define('invocations', {
    summary: 'List the tool calls of a conversation, newest first',
    description:
      'List the tool calls of a conversation as audit records: the message and the intent that led to each call, its parameters and its result.',
    examples: [
      'mcpproxy chat invocations 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11',
      'mcpproxy chat invocations 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11 -o json',
    ],
  })
    .argument('<conversation>', 'its id, as printed by "chat list"')
    .addOption(
      checked(
        '--limit <n>',
        'calls per page (1–100, default 50)',
        ({ routes }) => routes.listInvocations.query.shape.limit,
      ),
    )
    .option('--cursor <cursor>', 'continue after the previous page')
    .action(bind<PageFlags>(runInvocations));
}

async function runInvocations(context: Context, flags: PageFlags, id?: string): Promise<void> {
  const page = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('listInvocations', { id: id!, ...flags }),
  );
  const columns = [
    { title: 'INVOKED', whole: true },
    { title: 'TOOL', whole: true },
    { title: 'INTENT', whole: true },
    { title: 'RESULT', whole: true },
    { title: 'MS', align: 'right' as const },
    { title: 'PARAMETERS' },
  ];
  const rows = page.invocations.map((call) => [
    localTime(call.invoked_at),
    call.tool_name,
    call.intent_classification,
    call.success ? 'success' : 'failed',
    call.duration_ms,
    JSON.stringify(call.parameters),
  ]);
  await print(context, page, () => table(context.style, columns, rows));
  if (page.next_cursor !== null) hint(context, `For earlier calls add: --cursor ${page.next_cursor}`);
  else if (rows.length === 0) hint(context, 'This conversation has led to no tool call.');
}

function chatReplay(bind: Bind): Command {
  return define('replay', {
    summary: 'Repeat the decisions of a conversation and compare them',
    description:
      'Decide every message of a conversation again from the stored state, and show each decision that differs. No tool is called. Exits with code 1 if a decision differs, which can happen after an update of mcpproxy.',
    examples: [
      'mcpproxy chat replay 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11',
      'mcpproxy chat replay 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11 -o json',
    ],
  })
    .argument('<conversation>', 'its id, as printed by "chat list"')
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
  if (differences.length === 0) return `${counted(decisions, 'decision')}, no differences\n`;
  const lines = differences.flatMap(({ message_id, message, was, is }) => [
    `${message_id}  ${visibleLine(message)}`,
    `  was  ${visibleLine(JSON.stringify(was))}`,
    `  is   ${visibleLine(JSON.stringify(is))}`,
  ]);
  return `${lines.join('\n')}\n${counted(decisions, 'decision')}, ${counted(differences.length, 'difference')}\n`;
}
