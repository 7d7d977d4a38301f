// What the suite runs as "the client": it makes the suite's server an upstream of a running proxy, logs in where the proxy asks for it,
// uses its tools through the proxy as an agent would, and takes it away again. So every request that the suite sees is the proxy's.
//
//   node client-driver.mjs <url of the suite's server>     from the environment: DRIVER_PROXY, DRIVER_KEY, DRIVER_ENDS, MCP_CONFORMANCE_*
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent } from './driver-agent.mjs';
import { createOperator } from './driver-operator.mjs';
import { drive } from './driver-scenarios.mjs';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const proxy = process.env.DRIVER_PROXY;
const key = process.env.DRIVER_KEY;
const server = scenario.replaceAll('/', '-');
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const operator = createOperator({ proxy, key, server, scenario });

/** The suite looks at what arrives at its server only; the test also looks at how the scenario ended here. */
function ends(how) {
  writeFileSync(join(process.env.DRIVER_ENDS, server), how);
}

try {
  await operator.add(url, context);
  await operator.connected();
  await drive(scenario, { agent: createAgent({ proxy, key, server }), operator, context });
  ends('done');
} catch (error) {
  ends(error.message);
  process.stderr.write(`${scenario}: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await operator.remove();
}
