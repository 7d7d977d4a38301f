// The suite has no option for headers. The key is added below it, to every request to the port SUITE_KEY_PORT: fetch and undici share
// one dispatcher, and one scenario uses node:http to forge the Host header.
import http from 'node:http';
import { Agent, setGlobalDispatcher } from 'undici';

const port = process.env.SUITE_KEY_PORT;
const name = 'x-api-key';
const value = process.env.SUITE_KEY;

function withKey(headers) {
  if (Array.isArray(headers)) return [...headers, name, value];
  if (typeof headers?.[Symbol.iterator] === 'function') return [...headers, [name, value]];
  return { ...headers, [name]: value };
}

if (port !== undefined) {
  const addKey = (dispatch) => (options, handler) =>
    dispatch(
      String(options.origin).endsWith(`:${port}`)
        ? { ...options, headers: withKey(options.headers) }
        : options,
      handler,
    );
  setGlobalDispatcher(new Agent().compose(addKey));
  const { request } = http;
  http.request = (options, ...rest) =>
    request(
      String(options.port) === port
        ? Object.assign({}, options, { headers: withKey(options.headers) })
        : options,
      ...rest,
    );
}
