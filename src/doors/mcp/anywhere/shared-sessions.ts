import { SESSION_TOPIC } from '../../../db/index.ts';
import { isObject, type JsonObject } from '../../../json/index.ts';
import { newId } from '../../../lib/clock.ts';
import { clientOf } from '../../../load/index.ts';
import { callerOf } from '../calls.ts';
import type { McpCore } from '../core.ts';
import type { LegacyPeer } from '../legacy-peer.ts';
import type { ListName } from '../subscriptions.ts';
import { CODE, RpcError, type Message, type RequestId } from '../wire.ts';
import type { EventWriter } from '../http/event-writer.ts';
import type { SessionSharing } from '../http/session-ids.ts';
import type { Session, Sessions } from '../http/sessions.ts';
import { sessionEventId, type StreamPosition } from './event-ids.ts';
import { KeptStream } from './kept-stream.ts';
import { resumeStream } from './resume-stream.ts';

interface Parts {
  core: McpCore;
  sessions: Sessions;
  sharing: SessionSharing;
}

/** What a proxy tells the others about a session. */
type SessionNews = { ended: true } | { settled: true } | { response: JsonObject } | { notification: Message };

const LISTS: readonly ListName[] = ['tools', 'prompts', 'resources'];
/** Proxies have clocks of their own. */
const SKEW_MS = 5_000;

/**
 * What the clients of one credential may have passed on in a minute. Nobody here knows whether another proxy has asked for it, and it is
 * stored.
 */
const MAX_PASSED_ON = { messages: 600, characters: 8_388_608 };
const MINUTE_MS = 60_000;

/** Serves a 2025 session at every proxy alike: each request of its client may arrive at another one. */
export function createSharedSessions({ core, sessions, sharing: { relay, settings } }: Parts) {
  const now = () => core.sessionKeeping!.clock.now();
  const streams = new Map<string, KeptStream>();
  const changedMs = Object.fromEntries(LISTS.map((list) => [list, now()])) as Record<ListName, number>;

  const passedOn = new Map<string, { messages: number; characters: number }>();
  const forget = setInterval(() => passedOn.clear(), MINUTE_MS).unref();

  function spend(client: string, characters: number): void {
    const spent = passedOn.get(client) ?? { messages: 0, characters: 0 };
    passedOn.set(client, spent);
    spent.messages++;
    spent.characters += characters;
    if (spent.messages > MAX_PASSED_ON.messages || spent.characters > MAX_PASSED_ON.characters)
      throw tooMuchPassedOn();
  }

  const tell = async (sessionId: string, news: SessionNews): Promise<void> => {
    if (relay.isShared) await relay.send(SESSION_TOPIC + sessionId, news);
  };

  async function apply(peer: LegacyPeer): Promise<string[]> {
    const { level, uris } = await settings.read(peer.sessionId);
    peer.applySettings(level, uris);
    return uris;
  }

  /** Only the proxy that has the stream of the session can tell of updates, so it watches what others were asked for. */
  async function watchAll({ peer, stream }: Session): Promise<string[]> {
    const uris = await apply(peer);
    const missing = uris.filter((uri) => !peer.updates.has(uri));
    if (!stream || missing.length === 0 || !core.items) return uris;
    const { identity, sessionId, client } = peer;
    const caller = callerOf(identity, newId(), { sessionId, client });
    await core.items.watch(missing, { caller, channel: peer.silentChannel }, peer.updates);
    return uris;
  }

  function got(session: Session, news: SessionNews): void {
    if ('ended' in news) sessions.end(session, 'the client ended the session');
    else if ('response' in news) session.peer.response(news.response);
    else if ('notification' in news) session.peer.notification(news.notification);
    else
      watchAll(session).catch((error: unknown) =>
        core.log.warn({ err: error }, 'a session is not up to date'),
      );
  }

  const stops = [
    relay.on({
      wants: (topic) =>
        topic.startsWith(SESSION_TOPIC) && sessions.byId(topic.slice(SESSION_TOPIC.length)) !== undefined,
      got(topic, news) {
        const session = sessions.byId(topic.slice(SESSION_TOPIC.length));
        if (session) got(session, news as SessionNews);
      },
    }),
    relay.on({
      wants: (topic) => topic.startsWith('stream ') && streams.has(topic.slice(topic.lastIndexOf(' ') + 1)),
      got(topic, news) {
        if (isObject(news) && 'resumed' in news)
          streams.get(topic.slice(topic.lastIndexOf(' ') + 1))?.resumed();
      },
    }),
  ];

  function sendMissed({ peer }: Session, sentMs: number): void {
    for (const list of LISTS)
      if (changedMs[list] > sentMs - SKEW_MS)
        peer.push({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
  }

  return {
    /** What the session settles is stored before its client is answered. */
    attach(peer: LegacyPeer): void {
      const { sessionId } = peer;
      const settle = (store: () => Promise<void>) => store().then(() => tell(sessionId, { settled: true }));
      peer.storeLevel = (level) => settle(() => settings.setLevel(sessionId, level));
      peer.updates.onChange = (uri, isWatched) =>
        settle(() => (isWatched ? settings.watch(sessionId, uri) : settings.unwatch(sessionId, uri)));
      peer.keepStream = (request: RequestId) => {
        const onEnd = (id: string) => void streams.delete(id);
        const kept = new KeptStream({ relay, log: core.log, sessionId, request, onEnd });
        streams.set(kept.id, kept);
        return kept;
      };
    },

    restored: apply,

    /** No request of this proxy waits for the response, or no call of it has this id: another one may. */
    async passOn(
      { sessionId, identity }: LegacyPeer,
      news: { response: JsonObject } | { notification: Message },
    ): Promise<void> {
      spend(clientOf(identity), JSON.stringify(news).length);
      await tell(sessionId, news);
    },

    async ended(sessionId: string): Promise<void> {
      await tell(sessionId, { ended: true });
      await settings.remove(sessionId);
    },

    listChanged(list: ListName): void {
      changedMs[list] = now();
    },

    eventId: () => sessionEventId(now()),

    /** Tells of everything that the client may have missed since its last event. */
    streamOpened(session: Session, position: StreamPosition | undefined): void {
      const sentMs = position?.kind === 'session' ? position.sentMs : undefined;
      if (sentMs !== undefined) sendMissed(session, sentMs);
      watchAll(session).then(
        (uris) => {
          if (sentMs !== undefined) for (const uri of uris) session.peer.updates.tell(uri);
        },
        (error: unknown) => core.log.warn({ err: error }, 'the resources of a session are not watched'),
      );
    },

    resume: (sessionId: string, position: Extract<StreamPosition, { kind: 'request' }>, to: EventWriter) =>
      resumeStream({ relay, log: core.log, sessionId, position, to }),

    close(): void {
      clearInterval(forget);
      for (const stop of stops) stop();
    },
  };
}

export type SharedSessions = ReturnType<typeof createSharedSessions>;

function tooMuchPassedOn(): RpcError {
  const message =
    'Too many answers and notifications for calls at other proxies within a minute. This one was dropped; wait a minute';
  return new RpcError(CODE.server, message, { status: 429, record: 'OVERLOADED' });
}
