import { objects, textOf, type Answer, type Json, type Protocol, type Turn } from './conversation.ts';

/** generateContent of Google, which Gemini CLI uses. */
export const gemini: Protocol = {
  handles: (path) => /:(generateContent|streamGenerateContent)$/.test(path),
  read: (body) => ({
    tools: objects(body.tools).flatMap(({ functionDeclarations }) =>
      objects(functionDeclarations).map(({ name }) => ({ name: textOf(name) })),
    ),
    turns: objects(body.contents).flatMap(turnsOf),
  }),
  streams: (path) => path.endsWith(':streamGenerateContent'),
  events: (answer) => [{ data: responseOf(answer) }],
  whole: responseOf,
};

function turnsOf({ role, parts }: Json): Turn[] {
  return objects(parts).map((part) => {
    if ('functionResponse' in part) return { by: 'tool', text: textOf(part.functionResponse) };
    return { by: role === 'model' ? 'model' : 'user', text: textOf(part.text) };
  });
}

function responseOf(answer: Answer): Json {
  const part =
    'text' in answer
      ? { text: answer.text }
      : { functionCall: { name: answer.call.tool.name, args: answer.call.args } };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    modelVersion: 'scripted',
  };
}
