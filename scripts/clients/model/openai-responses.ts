import {
  isObject,
  newId,
  objects,
  textOf,
  type Answer,
  type Json,
  type OfferedTool,
  type Protocol,
  type Turn,
} from './conversation.ts';

function offered({ name, parameters }: Json): OfferedTool {
  const properties = isObject(parameters) && isObject(parameters.properties) ? parameters.properties : {};
  return { name: textOf(name), takesIntent: 'intent' in properties };
}

/** The Responses API of OpenAI, which Codex uses. */
export const openAiResponses: Protocol = {
  handles: (path) => path.endsWith('/responses'),
  read: (body) => ({
    tools: objects(body.tools).flatMap((tool) =>
      tool.type === 'namespace'
        ? objects(tool.tools).map((each) => ({ ...offered(each), namespace: textOf(tool.name) }))
        : [offered(tool)],
    ),
    turns:
      typeof body.input === 'string' ? [{ by: 'user', text: body.input }] : objects(body.input).map(turnOf),
  }),
  streams: (_path, body) => body.stream === true,
  events(answer) {
    const item = itemOf(answer);
    const response = responseOf([item]);
    return [
      { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ].map((data) => ({ event: data.type, data }));
  },
  whole: (answer) => responseOf([itemOf(answer)]),
};

function turnOf({ type, role, content, output }: Json): Turn {
  if (type === 'function_call_output') return { by: 'tool', text: textOf(output) };
  const byUser = type !== 'function_call' && role === 'user';
  return { by: byUser ? 'user' : 'model', text: textOf(content) };
}

function itemOf(answer: Answer): Json {
  if ('text' in answer) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    return { type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', content };
  }
  const { id, tool, args } = answer.call;
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: `call_${id}`,
    status: 'completed',
    ...tool,
    arguments: JSON.stringify(args),
  };
}

function responseOf(output: Json[]): Json {
  return {
    id: newId('resp'),
    object: 'response',
    created_at: 0,
    model: 'scripted',
    status: 'completed',
    output,
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    },
  };
}
