import { exchange, modern } from '../e2e/raw-token.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { cliOf } from './scaled.ts';

/** Whatever a terminal obeys or hides; line breaks and tabs apart. */
const OBEYED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2800\u2028-\u202e\u2060-\u2069\ufeff]|[\u180b-\u180f]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]|(?<=[a-z])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

const EVIL: Record<string, string> = {
  'line breaks': 'a\r\nb\nlevel=error forged=1',
  'clear screen': 'a\u001b[2J\u001b[Hb',
  'window title': 'a\u001b]0;owned\u0007b',
  clipboard: 'a\u001b]52;c;b3duZWQ=\u0007b',
  link: 'a\u001b]8;;http://evil.example\u001b\\b\u001b]8;;\u001b\\',
  'C1 introducer': 'a\u009b31mb\u009d0;x\u009c',
  bell: 'a\u0007\u0008\u007fb',
  'line separators': 'a\u2028b\u2029c\u0085d',
  'bidi override': 'a\u202eb\u2066c\u2069\u200f',
  invisible: 'a\u200b\u2060\ufeff\u00adb\u{e0041}',
  'formats and empty glyphs': 'a\u180b\u180f\u2800\u{1bca0}\u{1d173}b\ufe00c\u{e0100}\u{e0001}',
  'half a pair': 'a\ud800b',
  nul: 'a\u0000b',
};

/** Names, arguments, reasons, clients, searches and whole servers that try to control the terminal of the operator. */
export const terminal: Attack = {
  threat: 'T15',
  title: 'log injection and terminal escapes',
  async run(tally, scale) {
    const proxy = await startProxy({
      config: { mcpServers: { hostile: fixture('hostile.mjs'), up: fixture('annotated.mjs') } },
      args: ['--log-level', 'debug'],
    });
    try {
      const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
      await speak(proxy, token);
      await look(proxy, tally, scale);
      for (const line of proxy.stderr().split('\n').slice(0, -1)) {
        tally.held(!OBEYED.test(line), `the log: ${JSON.stringify(line.slice(0, 100))}`);
        tally.held(!line.startsWith('level=error forged'), 'a line of the log was forged');
      }
    } finally {
      await proxy.dispose();
    }
  },
};

async function speak({ url }: RunningProxy, token: string): Promise<void> {
  for (const text of Object.values(EVIL)) {
    const info = { 'io.modelcontextprotocol/clientInfo': { name: text, version: text } };
    const inputs = [
      {
        name: 'call_tool_read',
        arguments: {
          name: 'up:read_only',
          args: { [text]: text },
          intent_operation_type: 'read',
          intent_reason: text,
        },
      },
      { name: 'call_tool_read', arguments: { name: `up:${text}`, args: {}, intent_operation_type: 'read' } },
      {
        name: 'call_tool_read',
        arguments: { name: 'hostile:refuse', args: {}, intent_operation_type: text },
      },
      { name: 'retrieve_tools', arguments: { query: text } },
      { name: 'describe_tool', arguments: { names: [text] } },
    ];
    for (const params of inputs) {
      const { headers, body } = modern('tools/call', { ...params, _meta: info });
      await exchange(url, { token, headers, body }).ended;
    }
    const strange = modern(`nothing/${text}`);
    delete strange.headers['mcp-method'];
    await exchange(url, { token, headers: strange.headers, body: strange.body }).ended;
  }
}

const COMMANDS = [
  'activity list --limit 100',
  'activity summary',
  'activity export',
  'activity export --format csv',
  'tools list',
  'tools list --unannotated',
  'tools search hostile',
  'tools show hostile:show',
  'upstream list',
  'upstream logs hostile',
  'call tool-read hostile:show',
  'call tool-read hostile:fail',
  'call tool-read hostile:refuse',
  'call tool-read hostile:delete_it',
  'tokens list',
  'status',
  'doctor',
];

async function look(proxy: RunningProxy, tally: Tally, scale: Scale): Promise<void> {
  // The built program where there is time for it; else the same commands in this process.
  const cli = (args: string[]) => cliOf(scale)(args, { home: proxy.home });
  const { place } = proxy;
  const { records } = await proxy.rest.request('listActivity', { limit: 100 });
  const shown = records.filter((_, i) => i % 8 === 0).map(({ id }) => `activity show ${id}`);
  let characters = 0;
  for (const command of [...COMMANDS, ...shown]) {
    for (const output of ['table', 'json', 'yaml']) {
      const { stdout, stderr } = await cli([...command.split(' '), '-o', output, ...place]);
      const text = stdout.replaceAll('\r\n', '\n') + stderr;
      characters += text.length;
      const found = OBEYED.exec(text);
      const where = found && JSON.stringify(text.slice(Math.max(0, found.index - 30), found.index + 10));
      tally.held(!found, `${command} -o ${output}: ${where}`);
      // What is meant for programs brings the original back.
      if (command.startsWith('activity list') && output === 'json')
        tally.held(JSON.stringify(JSON.parse(stdout)).includes('owned'), 'JSON lost what was said');
    }
  }
  tally.figure(`${COMMANDS.length + shown.length} commands in 3 forms, ${characters} characters`);
}
