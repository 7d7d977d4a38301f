// What the suite runs as "the client": it makes the suite's server an upstream of a running proxy, uses its tools through the proxy as
// an agent would, and takes it away again. So every request that the suite sees is the proxy's.
//
//   node client-driver.mjs <url of the suite's server>     from the environment: DRIVER_PROXY, DRIVER_KEY, MCP_CONFORMANCE_*
import { drive } from './driver-scenarios.mjs';
import { createAgent } from './driver-agent.mjs';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const proxy = process.env.DRIVER_PROXY;
const key = process.env.DRIVER_KEY;

async function rest(method, path, body) {
  const response = await fetch(`${proxy}/api/v1/servers${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

async function connected() {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const { state, last_error: error } = await rest('GET', `/${scenario}`);
    if (state === 'ready') return;
    if (state === 'failed' || Date.now() > deadline) throw new Error(`the server is ${state}: ${error}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

await rest('POST', '', { name: scenario, config: { url } });
try {
  await connected();
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  await drive(scenario, createAgent({ proxy, key, server: scenario }), context);
} finally {
  await rest('DELETE', `/${scenario}`);
}
