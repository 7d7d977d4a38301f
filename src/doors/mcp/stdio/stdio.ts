import type { Readable, Writable } from 'node:stream';
import { newId } from '../../../lib/clock.ts';
import type { JsonObject, Steps } from '../../../json/index.ts';
import { InOrder } from '../../../lib/message-stream.ts';
import { checkBatch, runBatch } from '../http/batch.ts';
import type { Identity } from '../../../contract/call.ts';
import { finishCalls } from '../calls.ts';
import { createCore, type McpClient, type McpCore, type McpParts } from '../core.ts';
import { LegacyPeer } from '../legacy-peer.ts';
import { LineWriter } from './line-writer.ts';
import { modernCaller, ModernPeer } from '../modern-peer.ts';
import { readLines } from './read-lines.ts';
import { modernRevision } from '../revision.ts';
import { createSubscriptions, type ListName } from '../subscriptions.ts';
import {
  CODE,
  errorMessage,
  parseSteps,
  readableId,
  RpcError,
  shapeOf,
  type Message,
  type Outgoing,
  type Request,
  type RequestId,
} from '../wire.ts';

export interface StdioPipes {
  input: Readable;
  output: Writable;
  /** Default: the operator, as only the operator can start the program on this data directory. */
  identity?: Identity;
  /** Calls the listener whenever a list has a new result; returns a function that unsubscribes. */
  onListChanged?: (
    listener: (list: ListName, concerns?: (client: McpClient) => boolean) => void,
  ) => () => void;
}

const OPERATOR: Identity = { principal: 'operator', userId: 'local' };
const FLUSH_MS = 2_000;

/** MCP over a pair of pipes, for both protocol eras: each message names its own. Resolves when the client has disconnected. */
export function serveMcpStdio(parts: McpParts, pipes: StdioPipes): Promise<void> {
  const core = createCore(parts);
  const { input, output, identity = OPERATOR } = pipes;
  const writer = new LineWriter(input, output, core.limits.bufferedBytes);
  const server = createPipeServer(core, identity, writer);
  const inOrder = new InOrder({
    steps: readLine,
    deliver: (read, text) => server.take(read, text),
    source: () => input,
  });
  const stopListening = pipes.onListChanged?.((list, concerns = () => true) => {
    if (concerns({ identity })) server.listChanged(list);
  });
  return new Promise((resolve) => {
    readLines(
      { input, output, maxBytes: core.limits.bodyBytes },
      {
        line: (text) => inOrder.push(text, true),
        reading: () => inOrder.reading,
        unreadable: (error, id) => server.fail(error, id, ''),
        ended(isBroken) {
          stopListening?.();
          void server.close(isBroken).then(resolve);
        },
      },
    );
  });
}

type Read = { value: unknown } | { cause: unknown };

function* readLine(text: string, isValid: boolean): Steps<Read> {
  try {
    return { value: yield* parseSteps(text, isValid) };
  } catch (cause) {
    return { cause };
  }
}

function createPipeServer(core: McpCore, identity: Identity, writer: LineWriter) {
  const legacy = new LegacyPeer(core, identity, newId());
  const modern = new ModernPeer(core, { inFlight: core.limits.inFlight, keyOf: (request) => request.id });
  const subscriptions = createSubscriptions({
    limit: core.limits.subscriptions,
    endResult: core.answers.subscriptionEnd,
    items: core.items,
    tasks: core.tasks,
  });
  const subscriber = { send: (message: Outgoing) => writer.answer(message), end: () => undefined };

  legacy.push = (message) => writer.answer(message);

  const newArrival = () => ({ requestId: newId(), identity });

  function fail(cause: unknown, id: RequestId | null, text: string): void {
    const requestId = newId();
    if (!(cause instanceof RpcError))
      core.log.error({ err: cause, request_id: requestId }, 'mcp message failed with an internal error');
    const error = cause instanceof RpcError ? cause : new RpcError(CODE.internal, 'Internal error');
    const { principal } = identity;
    void core.badRequests.add(error, {
      principal,
      requestId,
      client: legacy.client,
      excerpt: () => text,
    });
    writer.answer(errorMessage(id, error));
  }

  function handleNotification(message: Message): void {
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (subscriptions.remove(id)) return;
      modern.calls.cancel(id, 'cancelled by the client');
    }
    legacy.notification(message);
  }

  function route(value: unknown): void {
    if (Array.isArray(value)) {
      return runBatch(legacy, checkBatch(value, core.limits.batch), {
        arrival: newArrival(),
        openReply: () => writer,
      });
    }
    const shape = shapeOf(value);
    if (shape === 'notification') return handleNotification(value as Message);
    if (shape === 'response') return void legacy.response(value as JsonObject);
    const request = value as Request;
    if (modernRevision(request, shape) === undefined) return legacy.request(request, newArrival(), writer);
    if (request.method === 'subscriptions/listen') {
      const from = { key: request.id, identity, caller: modernCaller(request, newArrival()) };
      return subscriptions.listen(request, from, () => subscriber);
    }
    modern.request(request, newArrival(), writer);
  }

  return {
    fail,
    take(read: Read, text: string): void {
      try {
        if ('cause' in read) throw read.cause;
        route(read.value);
      } catch (cause) {
        fail(cause, 'value' in read ? readableId(read.value) : null, text);
      }
    },
    listChanged(list: ListName): void {
      subscriptions.listChanged(list, () => true);
      if (legacy.initialized) legacy.push({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
    },
    async close(isBroken: boolean): Promise<void> {
      await core.tasks?.stop();
      const tables = [legacy.calls, modern.calls];
      if (isBroken) for (const table of tables) table.cancelAll('the client disconnected');
      await finishCalls(tables, core.limits.drainMs);
      subscriptions.close();
      legacy.leave();
      core.badRequests.flush(true);
      if (!isBroken) await writer.flushed(FLUSH_MS);
    },
  };
}
