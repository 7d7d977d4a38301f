import type { LimitsConfig } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';

export type ShareLimits = Pick<LimitsConfig, 'requests_per_second' | 'log_mb_per_hour'>;

/** Which share of a client is used up, and the error that says so. */
export interface UsedUp {
  of: 'rate' | 'log';
  error: ProxyError;
}

export interface ClientShares {
  /** Takes one request from the share of this client; undefined where it may be served. */
  takeRequest(client: string): UsedUp | undefined;
  /** A request of this client held so many more. */
  addRequests(client: string, count: number): void;
  /** Undefined while this client may cause records. */
  checkLog(client: string): UsedUp | undefined;
  /** This client has caused records of so many bytes. */
  addLogged(client: string, bytes: number): void;
}

/** What is left of a share. It fills up continuously, up to the burst. */
interface Bucket {
  left: number;
  at: number;
}

interface Share {
  requests: Bucket;
  log: Bucket;
}

const MB = 1_048_576;
const HOUR_S = 3600;
/** Seconds of requests that a client may send at once. */
const BURST_S = 2;
/** The operator decides, stops and repairs what agents do: its share is its own, and so many times as large. */
const OPERATOR_TIMES = 10;
/** Clients with a share of their own at the same time. Beyond it, clients without a request for an hour are forgotten; all further ones share one. */
const MAX_CLIENTS = 1024;
const OTHERS = '';

/** The share of each client of requests and of the log. Nothing is allocated for a client that is known. */
export function createClientShares(limits: () => ShareLimits, clock: { now(): number }): ClientShares {
  const shares = new Map<string, Share>();

  function shareOf(client: string): Share {
    const known = shares.get(client);
    if (known) return known;
    if (shares.size >= MAX_CLIENTS && client !== OTHERS) {
      forgetUnused();
      if (shares.size >= MAX_CLIENTS) return shareOf(OTHERS);
    }
    const at = clock.now();
    const share = { requests: { left: Infinity, at }, log: { left: Infinity, at } };
    shares.set(client, share);
    return share;
  }

  /** A share that is full again is the same as a new one. */
  function forgetUnused(): void {
    const old = clock.now() - HOUR_S * 1000;
    for (const [client, { requests, log }] of shares)
      if (requests.at < old && log.at < old) shares.delete(client);
  }

  const timesFor = (client: string) => (client === 'operator' ? OPERATOR_TIMES : 1);

  /** Bytes per second. */
  const logRate = (client: string) => (limits().log_mb_per_hour * MB * timesFor(client)) / HOUR_S;

  function refill(bucket: Bucket, perSecond: number, most: number): void {
    const now = clock.now();
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
  }

  return {
    takeRequest(client) {
      const perSecond = limits().requests_per_second * timesFor(client);
      const { requests } = shareOf(client);
      refill(requests, perSecond, perSecond * BURST_S);
      if (requests.left < 1) return { of: 'rate', error: tooManyRequests(perSecond) };
      requests.left--;
      return undefined;
    },
    addRequests(client, count) {
      shareOf(client).requests.left -= count;
    },
    checkLog(client) {
      const { log } = shareOf(client);
      const perSecond = logRate(client);
      refill(log, perSecond, perSecond * HOUR_S);
      if (log.left > 0) return undefined;
      return { of: 'log', error: logShareUsed(perSecond, log.left) };
    },
    addLogged(client, bytes) {
      const { log } = shareOf(client);
      const perSecond = logRate(client);
      refill(log, perSecond, perSecond * HOUR_S);
      log.left -= bytes;
    },
  };
}

function tooManyRequests(perSecond: number): ProxyError {
  const message = `This client sends more than ${perSecond} requests per second (limits.requests_per_second). Rejected before it was read; try again in a moment.`;
  return new ProxyError('OVERLOADED', message, {
    requests_per_second: perSecond,
    sent: false,
    retry_after_s: 1,
  });
}

function logShareUsed(perSecond: number, left: number): ProxyError {
  const wait = Math.max(1, Math.ceil(-left / perSecond));
  const mb = Math.round((perSecond * HOUR_S) / MB);
  const message = `This client has used its share of the activity log, ${mb} MB per hour (limits.log_mb_per_hour). A call that cannot be recorded is not made; try again in ${wait} s.`;
  return new ProxyError('OVERLOADED', message, {
    log_mb_per_hour: mb,
    sent: false,
    retry_after_s: wait,
  });
}
