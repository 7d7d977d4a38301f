// What an agent does in each scenario of the suite's client side. The suite looks at what arrives at its server.
const SCENARIOS = {
  // To be connected is all: this server has no tools.
  initialize: async () => undefined,
  'request-metadata': async (agent) => void (await agent.list()),
  // The only tool of this server must not be called; a schema with a reference to the network must not be followed.
  'json-schema-ref-no-deref': async (agent) => expectTools(await agent.list()),
  // The skills are listed, and none is loaded.
  'sep-2640-client-no-prefetch': async (agent) => void (await agent.skills()),
  tools_call: (agent) => callAll(agent, [['add_numbers', { a: 2, b: 3 }]]),
  'sse-retry': (agent) => callAll(agent, [['test_reconnection', {}]]),
  'elicitation-sep1034-client-defaults': (agent) =>
    callAll(agent, [['test_client_elicitation_defaults', {}]]),
  'http-standard-headers': (agent) =>
    callAll(agent, [
      ['test_headers', {}],
      ['my-hyphenated-tool', {}],
    ]),
  'http-custom-headers': (agent, { toolCalls }) =>
    callAll(
      agent,
      toolCalls.map(({ name, arguments: args }) => [name, args]),
    ),
  'http-invalid-tool-headers': async (agent) => {
    const tools = expectTools(await agent.list());
    await callAll(
      agent,
      tools.map(({ name, inputSchema }) => [name, filled(inputSchema)]),
    );
  },
  'json-schema-2020-12-preservation': async (agent) => {
    const tool = expectTools(await agent.list()).find(({ name }) => name === 'json_schema_2020_12_tool');
    await callAll(agent, [['json_schema_echo', { schema: tool.inputSchema }]]);
  },
  'sep-2322-client-request-state': (agent) =>
    callAll(
      agent,
      ['echo_state', 'unrelated', 'no_state', 'no_result_type'].map((name) => [`test_mrtr_${name}`, {}]),
    ),
};

/** Loads a skill as a host does: its SKILL.md, and a file that it names only if the first one was not rejected. */
async function loadSkill(agent) {
  const [{ uri, resources }] = await agent.skills();
  if (await agent.read(uri)) await agent.read(resources.at(-1).uri);
}

export async function drive(scenario, { agent, operator, context }) {
  if (scenario.startsWith('auth/')) return useProtected(agent, operator);
  const run = SCENARIOS[scenario];
  if (scenario.startsWith('sep-2640-client-verify-')) return loadSkill(agent);
  if (!run) throw new Error(`nothing is written for the scenario ${scenario}`);
  return run(agent, context);
}

/** Uses the only tool of the suite's protected servers, again after each log-in that the call turns out to need. */
async function useProtected(agent, operator) {
  expectTools(await agent.list());
  for (;;) {
    const { isError, content } = await agent.call('test-tool', {});
    if (!isError) return;
    if (!(await operator.needsLogin())) throw new Error(`test-tool: ${JSON.stringify(content)}`);
    await operator.connected();
  }
}

async function callAll(agent, calls) {
  for (const [name, args] of calls) {
    const { isError, content } = await agent.call(name, args);
    if (isError) process.stderr.write(`${name}: ${JSON.stringify(content)}\n`);
  }
}

function expectTools(tools) {
  if (tools.length === 0) throw new Error('the proxy offers no tool of this server');
  return tools;
}

const filled = ({ properties = {} }) =>
  Object.fromEntries(Object.keys(properties).map((name) => [name, 'x']));
