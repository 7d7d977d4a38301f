import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './anthropic.ts';
import type { Answer, Conversation, Json, Protocol } from './conversation.ts';
import { decide, progressOf, type Decision, type Script } from './decide.ts';
import { gemini } from './gemini.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiResponses } from './openai-responses.ts';

const PROTOCOLS: readonly Protocol[] = [anthropic, openAiChat, openAiResponses, gemini];
const MOST_BODY_BYTES = 16 * 1024 * 1024;

export interface ScriptedModel {
  readonly url: string;
  /** Names of all tools that were offered so far. */
  readonly offered: ReadonlySet<string>;
  /** What the model decided since `forget`, oldest first. */
  readonly decisions: readonly Decision[];
  /** The results of the steps since `forget`. */
  readonly results: ReadonlyMap<string, string>;
  /** Whether a person, or the client for them, has sent this text since the start. */
  hasHeard(text: string): boolean;
  forget(): void;
  /** Holds back the answers to steps until the returned function is called. */
  pause(): () => void;
  /** Requests that no protocol handles: what a client wanted and did not get. */
  readonly unknown: readonly string[];
  close(): Promise<void>;
}

export interface ModelOptions {
  readonly script: Script;
  /** Runs before a step is answered, e.g. to restart the proxy in between. */
  readonly beforeAnswer?: (decision: Decision) => Promise<void>;
}

/** A model endpoint on loopback that speaks the protocols of all clients and follows the script. */
export async function startModel({ script, beforeAnswer }: ModelOptions): Promise<ScriptedModel> {
  const offered = new Set<string>();
  const decisions: Decision[] = [];
  const results = new Map<string, string>();
  const heard = new Set<string>();
  const unknown: string[] = [];
  let paused: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      unknown.push(`${request.method} ${request.url}: ${String(error)}`);
      response.writeHead(500).end();
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url!, 'http://model').pathname;
    const text = await bodyOf(request);
    const protocol = PROTOCOLS.find((each) => each.handles(path));
    if (request.method !== 'POST' || !protocol) return respondOther(request, response);
    const body = JSON.parse(text) as Json;
    const conversation = protocol.read(body);
    const decision = follow(conversation);
    if (decision.step !== undefined) {
      await beforeAnswer?.(decision);
      await paused;
    }
    if (protocol.streams(path, body)) stream(response, protocol, decision.answer);
    else sendJson(response, 200, protocol.whole(decision.answer));
  }

  function follow(conversation: Conversation): Decision {
    for (const { name } of conversation.tools) offered.add(name);
    for (const { by, text } of conversation.turns) if (by === 'user') heard.add(text);
    const done = progressOf(conversation.turns, script)?.done ?? [];
    for (const [step, text] of done) results.set(step, text);
    const decision = decide(conversation, script);
    if (decision.step !== undefined) decisions.push(decision);
    return decision;
  }

  function respondOther(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!;
    if (path.includes('/models')) {
      return sendJson(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
    }
    if (/count_?tokens/i.test(path)) return sendJson(response, 200, { input_tokens: 10, totalTokens: 10 });
    unknown.push(`${request.method} ${path}`);
    return sendJson(response, 404, { error: { type: 'not_found_error', message: 'not scripted' } });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offered,
    decisions,
    results,
    hasHeard: (text) => [...heard].some((each) => each.includes(text)),
    forget: () => {
      decisions.length = 0;
      results.clear();
    },
    pause: () => {
      let resume!: () => void;
      paused = new Promise((resolve) => (resume = resolve));
      return resume;
    },
    unknown,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) {
    text += part as string;
    if (text.length > MOST_BODY_BYTES) throw new Error('the request is too large');
  }
  return text;
}

function stream(response: ServerResponse, protocol: Protocol, answer: Answer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of protocol.events(answer)) {
    const payload = data === '[DONE]' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${payload}\n\n`);
  }
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
