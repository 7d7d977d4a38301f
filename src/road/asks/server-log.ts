import { exactJson, type JsonObject } from '../../json/index.ts';
import type { ClientChannel } from './client-channel.ts';

const MAX_LENGTH = 65_536;
const PER_SECOND = 100;

/** Passes the log messages of a server on to one client, with the name of the server; too long ones and a flood are dropped. */
export function serverLog(server: string, channel: Pick<ClientChannel, 'log'>): (params: JsonObject) => void {
  let window = 0;
  let count = 0;
  return ({ level, logger, data }) => {
    const second = Math.floor(performance.now() / 1000);
    count = second === window ? count + 1 : 1;
    window = second;
    if (count > PER_SECOND || typeof level !== 'string') return;
    const name = typeof logger === 'string' ? `${server}/${logger}` : server;
    const params = { level, logger: name, ...(data !== undefined && { data }) };
    if ((exactJson(params) ?? '').length <= MAX_LENGTH) channel.log(params);
  };
}
