// What this machine can do at best: a server that answers every request with 429 at once, and nothing else. Prints its port.
import { createServer } from 'node:http';

const body = JSON.stringify({ error: { code: 'OVERLOADED', message: 'bare' } });
const headers = { 'content-type': 'application/json', 'content-length': body.length, 'retry-after': '1' };
const server = createServer((req, res) => {
  req.resume();
  res.writeHead(429, { ...headers, connection: 'close' }).end(body);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
