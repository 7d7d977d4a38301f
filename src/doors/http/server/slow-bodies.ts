import type { IncomingMessage, ServerResponse } from 'node:http';

export interface BodyLimits {
  /** How long a body may take, however small it is. */
  bodyTimeout: number;
  /** The same without a key, where there is little to send; no more time than that. */
  keylessBodyTimeout: number;
  /** More time than that is only for one that comes at least so fast, in bytes per second. */
  bodyRate: number;
  /** How often is looked. */
  connectionsCheckingInterval: number;
}

interface Arriving {
  req: IncomingMessage;
  res: ServerResponse;
  since: number;
  bytesBefore: number;
  isKeyless: boolean;
}

export interface SlowBodies {
  /** From now on the body of this request has to come. */
  watch(req: IncomingMessage, res: ServerResponse, isKeyless: boolean): void;
  stop(): void;
}

/**
 * Cuts bodies that trickle in. Node has one limit for the whole request; one that is long enough for a large body lets whoever sends a
 * byte now and then hold a connection, and a place among those that are served, for just as long.
 */
export function cutSlowBodies(
  { bodyTimeout, keylessBodyTimeout, bodyRate, connectionsCheckingInterval: interval }: BodyLimits,
  cut: (req: IncomingMessage, res: ServerResponse) => void,
): SlowBodies {
  const arriving = new Set<Arriving>();
  let looked = performance.now();

  function isLate({ req, since, bytesBefore, isKeyless }: Arriving, now: number): boolean {
    if (isKeyless) return now > since + keylessBodyTimeout;
    const bytes = req.socket.bytesRead - bytesBefore;
    // Paused: it is we who do not read.
    return now > since + bodyTimeout + (1000 * bytes) / bodyRate && !req.isPaused();
  }

  function look(): void {
    const now = performance.now();
    // While we stood still ourselves nothing could arrive.
    const lost = Math.max(0, now - looked - interval);
    looked = now;
    for (const body of arriving) {
      body.since += lost;
      if (body.req.complete) arriving.delete(body);
      else if (isLate(body, now)) {
        arriving.delete(body);
        cut(body.req, body.res);
      }
    }
  }

  const timer = setInterval(look, interval).unref();
  return {
    watch(req, res, isKeyless) {
      if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
        return;
      const body = { req, res, since: performance.now(), bytesBefore: req.socket.bytesRead, isKeyless };
      arriving.add(body);
      req.once('close', () => arriving.delete(body));
    },
    stop: () => clearInterval(timer),
  };
}
