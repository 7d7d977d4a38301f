import { newId, objects, textOf, type Answer, type Json, type Protocol } from './conversation.ts';

/** The Chat Completions API of OpenAI, which most other clients can use. */
export const openAiChat: Protocol = {
  handles: (path) => path.endsWith('/chat/completions'),
  read: (body) => ({
    tools: objects(body.tools).map((tool) => ({ name: textOf((tool.function as Json | undefined)?.name) })),
    turns: objects(body.messages)
      .filter(({ role }) => role !== 'system' && role !== 'developer')
      .map(({ role, content }) => ({
        by: role === 'tool' ? 'tool' : role === 'assistant' ? 'model' : 'user',
        text: textOf(content),
      })),
  }),
  streams: (_path, body) => body.stream === true,
  events(answer) {
    const id = newId('chat');
    return [
      {
        data: chunk(id, {
          index: 0,
          delta: { role: 'assistant', ...messageOf(answer) },
          finish_reason: null,
        }),
      },
      { data: chunk(id, { index: 0, delta: {}, finish_reason: finishReason(answer) }) },
      { data: { ...chunk(id), choices: [], usage: USAGE } },
      { data: '[DONE]' },
    ];
  },
  whole: (answer) => ({
    ...chunk(newId('chat'), {
      index: 0,
      message: { role: 'assistant', ...messageOf(answer) },
      finish_reason: finishReason(answer),
    }),
    object: 'chat.completion',
    usage: USAGE,
  }),
};

const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

function chunk(id: string, ...choices: Json[]): Json {
  return { id, object: 'chat.completion.chunk', created: 0, model: 'scripted', choices };
}

function messageOf(answer: Answer): Json {
  if ('text' in answer) return { content: answer.text };
  const { id, tool, args } = answer.call;
  const called = { name: tool.name, arguments: JSON.stringify(args) };
  return { content: null, tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: called }] };
}

const finishReason = (answer: Answer): string => ('text' in answer ? 'stop' : 'tool_calls');
