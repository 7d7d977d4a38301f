import type { Command } from 'commander';
import type { ChatAnswer, ChatExplanation } from '../../../../contract/chat.ts';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { visibleLine, visibleText } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { fields, heading } from '../../output/table.ts';
import { chatList, chatShow } from './chat-conversations.ts';
import { chatReplay } from './chat-replay.ts';

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
            message === undefined ? talk(context, reached, flags) : once(context, reached, flags, message),
        ),
      ),
    );
}

async function once(context: Context, reached: Reached, flags: ChatFlags, message: string): Promise<void> {
  const id = await say(context, reached, flags, message);
  if (id !== undefined && flags.conversation === undefined)
    hint(context, `go on with: mcpproxy chat --conversation ${id} "…"`);
}

/** Gives the id of the conversation, which the next message goes on with. */
async function say(
  context: Context,
  { request }: Reached,
  { conversation, explain }: ChatFlags,
  message: string,
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
  const before = conversation === undefined ? [] : await saidBefore(reached, conversation);
  if (context.io.terminal.in) hint(context, 'your task assistant; Ctrl-D ends');
  for await (const line of context.io.lines('> ', before)) {
    if (line.trim() === '') continue;
    try {
      const going = { ...flags, ...(conversation !== undefined && { conversation }) };
      conversation = (await say(context, reached, going, line)) ?? conversation;
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

async function saidBefore({ request }: Reached, id: string): Promise<string[]> {
  const { messages } = await request('getConversation', { id, limit: 100 });
  return messages.filter(({ role }) => role === 'user').map(({ content }) => visibleLine(content));
}
