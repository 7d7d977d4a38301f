import {
  isObject,
  newId,
  objects,
  textOf,
  type Answer,
  type Json,
  type Protocol,
  type Turn,
} from './conversation.ts';

/** The Messages API of Anthropic, which Claude Code uses. */
export const anthropic: Protocol = {
  handles: (path) => path.endsWith('/messages'),
  read: (body) => ({
    tools: objects(body.tools).map(({ name }) => ({ name: textOf(name) })),
    turns: objects(body.messages).flatMap(turnsOf),
  }),
  streams: (_path, body) => body.stream === true,
  events(answer) {
    const block = blockOf(answer);
    const start = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta =
      block.type === 'text'
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    return [
      { type: 'message_start', message: { ...messageOf(answer), content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: USAGE,
      },
      { type: 'message_stop' },
    ].map((data) => ({ event: data.type, data }));
  },
  whole: messageOf,
};

const USAGE = { input_tokens: 10, output_tokens: 10 };

function turnsOf({ role, content }: Json): Turn[] {
  if (role === 'assistant') return [{ by: 'model', text: textOf(content) }];
  if (typeof content === 'string') return [{ by: 'user', text: content }];
  return objects(content).map((block) => ({
    by: block.type === 'tool_result' ? 'tool' : 'user',
    text: textOf(block),
  }));
}

function blockOf(answer: Answer): Json {
  if ('text' in answer) return { type: 'text', text: answer.text };
  const { id, tool, args } = answer.call;
  return { type: 'tool_use', id: `toolu_${id}`, name: tool.name, input: args };
}

function messageOf(answer: Answer): Json {
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [blockOf(answer)].filter(isObject),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: USAGE,
  };
}

const stopReason = (answer: Answer): string => ('text' in answer ? 'end_turn' : 'tool_use');
