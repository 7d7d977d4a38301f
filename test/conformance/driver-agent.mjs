// An agent that uses the tools of one server through the proxy: finds, describes and calls them. Raw HTTP, so that nothing between
// hides what the proxy says.
const META = 'io.modelcontextprotocol/';
const REVISION = '2026-07-28';
/** Only against a hang: on a busy machine everything takes its time. */
const LIMIT_MS = 240_000;

export function createAgent({ proxy, key, server }) {
  let lastId = 0;

  /** The result, or the error as the proxy says it. */
  async function ask(method, given) {
    const id = ++lastId;
    const _meta = {
      [`${META}protocolVersion`]: REVISION,
      [`${META}clientInfo`]: { name: 'driver', version: '1.0.0' },
      [`${META}clientCapabilities`]: { elicitation: {} },
    };
    const params = { ...given, _meta };
    const named = given.name ?? given.uri;
    const response = await fetch(`${proxy}/mcp`, {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(named && { 'mcp-name': named }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return response.json();
  }

  async function use(name, args, more = {}) {
    const { result, error } = await ask('tools/call', { name, arguments: args, ...more });
    if (error) throw new Error(`${name}: ${JSON.stringify(error)}`);
    return result;
  }

  /** The skills of the server. */
  async function skills() {
    const { result } = await ask('skills/list', {});
    return result.skills.filter(({ uri }) => uri.startsWith(`mcpproxy://${server}/`));
  }

  /** Undefined: the proxy has not passed the file on. */
  async function read(uri) {
    const { result, error } = await ask('resources/read', { uri });
    if (error) process.stderr.write(`${uri}: ${JSON.stringify(error)}\n`);
    return result;
  }

  /** All tools of the server with their full schemas, found by search: the name of a server is among the words that are searched. */
  async function list() {
    const found = (await use('retrieve_tools', { query: server, server, limit: 50 })).structuredContent.tools;
    if (found.length === 0) return [];
    const names = found.map((tool) => tool.name).slice(0, 20);
    const { tools } = (await use('describe_tool', { names })).structuredContent;
    return tools.map((tool) => ({ ...tool, name: tool.name.slice(server.length + 1) }));
  }

  /** Answers what the server asks for: with the state that it gave, if it gave any, and again until it is content. */
  async function call(tool, args) {
    const input = { name: `${server}:${tool}`, args, intent_operation_type: 'read' };
    let result = await use('call_tool_read', input);
    for (let round = 0; result.resultType === 'input_required' && round < 5; round++) {
      const { inputRequests = {}, requestState } = result;
      const inputResponses = Object.fromEntries(
        Object.entries(inputRequests).map(([name, request]) => [name, answerTo(request)]),
      );
      result = await use('call_tool_read', input, {
        inputResponses,
        ...(requestState !== undefined && { requestState }),
      });
    }
    return result;
  }

  return { list, call, skills, read };
}

/** A form is accepted with its defaults, as a client does whose user changes nothing. */
function answerTo({ params }) {
  const fields = Object.entries(params?.requestedSchema?.properties ?? {});
  const defaults = fields.filter(([, field]) => field.default !== undefined);
  const content = Object.fromEntries(defaults.map(([name, field]) => [name, field.default]));
  return { action: 'accept', content: { confirmed: true, ...content } };
}
