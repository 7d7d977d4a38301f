import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, commandsOf, newcomerPath, runCommands, type Block, type Ran } from './shell-pages.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

// A newcomer's first minutes: the commands as the pages print them, against a proxy that was just started in an empty home.

interface Journey {
  proxy: RunningProxy;
  ran: Ran[];
}

const journeys: Journey[] = [];
let readme: Journey;
let start: Journey;
afterAll(() => Promise.all(journeys.map(({ proxy }) => proxy.dispose())));

async function follow(blocks: Block[]): Promise<Journey> {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
  const path = newcomerPath(home);
  // Everything is where it is without any flag; only the port is a free one.
  const proxy = await startProxy({
    home,
    env: { PATH: path },
    args: ['--config', join(home, '.mcpproxy', 'mcp_config.json')],
  });
  const journey: Journey = { proxy, ran: [] };
  journeys.push(journey);
  const address = proxy.url.replace('http://', '');
  const commands = commandsOf(blocks).map((line) => line.replaceAll('127.0.0.1:8080', address));
  journey.ran = await runCommands(commands, home, path);
  return journey;
}

function said(journey: Journey, command: RegExp): Ran {
  const found = journey.ran.filter((ran) => command.test(ran.command));
  expect(found, `one command like ${command}`).toHaveLength(1);
  return found[0]!;
}

const README = blocksOf('README.md', 'First steps');
const START = blocksOf('docs/start.md');
const REFUSAL = "Tool 'files:write_file' is marked destructive by server, use call_tool_destructive";

// Both readers at once: most of the time of a command is the start of its process.
beforeAll(async () => {
  [readme, start] = await Promise.all([follow(README), follow(START)]);
});

describe.each([
  ['README.md, First steps', () => readme, 7],
  ['docs/start.md', () => start, 17],
])('%s', (_, journeyOf, atLeast) => {
  let journey: Journey;
  beforeAll(() => {
    journey = journeyOf();
  });

  test('every command that is not meant to be refused ends well', () => {
    expect(journey.ran.length).toBeGreaterThanOrEqual(atLeast);
    const failed = journey.ran.filter(({ code }) => code !== 0);
    const expected = failed.filter(({ command }) => command.includes('# refused'));
    expect(failed).toEqual(expected);
  });

  test('the tool is found by search', () => {
    const { stdout } = said(journey, /tools search/);
    expect(stdout).toMatch(/^ *\d\.\d\d +files:read_text_file +read /m);
  });

  test('the file is read', () => {
    expect(said(journey, /tool-read files:read_text_file/).stdout).toBe('Hello from a file.\n');
  });

  test('the destructive call through the read variant is refused with exit code 3, and the file is unchanged', () => {
    const { code, stdout, stderr } = said(journey, /tool-read files:write_file/);
    expect(stderr).toContain(REFUSAL);
    expect(code === 3 || (code === 0 && stdout === 'exit code 3\n'), `exit ${code}: ${stdout}`).toBe(true);
    const folder = join(journey.proxy.home, 'mcpproxy-demo');
    expect(readFileSync(join(folder, 'hello.txt'), 'utf8')).toBe('Hello from a file.\n');
    expect(readdirSync(folder).filter((name) => name !== 'new')).toEqual(['hello.txt']);
  });

  test('all of it is in the activity list', () => {
    const { stdout } = said(journey, /activity list$/);
    expect(stdout).toMatch(/files +read_text_file +read +success/);
    expect(stdout).toMatch(/files +write_file +read +refused/);
    expect(stdout).toMatch(/files +config_change: add_server +- +success/);
  });

  test('nothing was written outside the demo folder and the data directory', () => {
    const own = /^(said-\w+|bin|fallback)$/;
    const hasConnected = journey.ran.some(({ command }) => command === 'mcpproxy connect claude-code');
    expect(readdirSync(journey.proxy.home).filter((name) => !own.test(name))).toEqual([
      ...(hasConnected ? ['.claude', '.claude.json'] : []),
      '.mcpproxy',
      'mcpproxy-demo',
    ]);
  });
});

describe('docs/start.md, further on', () => {
  const journey = () => start;

  test('every message that the page quotes is what the command before it says', () => {
    let checked = 0;
    for (const [at, { language, lines }] of START.entries()) {
      // A transcript has its own command in it, and its own test: setup.test.ts.
      if (language !== 'text' || lines[0]!.startsWith('$ ')) continue;
      const command = START[at - 1]!.lines.at(-1);
      const ran = journey().ran.find((one) => one.command === command);
      expect(ran?.stderr, command).toContain(lines.join('\n'));
      checked++;
    }
    expect(checked).toBeGreaterThan(1);
  });

  test('the files and the address of the page are the real ones', () => {
    const { dataDir, url } = journey().proxy;
    expect(said(journey(), /config path$/).stdout).toContain(join(dataDir, 'mcp_config.json'));
    expect(readdirSync(dataDir)).toEqual(
      expect.arrayContaining(['api_key', 'mcp_config.json', 'mcpproxy.db']),
    );
    expect(JSON.parse(said(journey(), /^curl/).stdout)).toMatchObject({
      listen: url,
      servers: { total: 1, ready: 1 },
    });
    expect(said(journey(), /mcpproxy --version/).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(said(journey(), /tools list$/).stdout).toContain('tasks:delete_task');
  });

  test('the server is ready when the command that adds it returns', () => {
    expect(said(journey(), /upstream list/).stdout).toMatch(/^files +ready +\d+ +stdio/m);
  });

  test('the write variant makes the directory that the read variant was refused', () => {
    expect(said(journey(), /tool-read files:create_directory/).stdout).toBe('exit code 3\n');
    expect(said(journey(), /tool-write files:create_directory/).code).toBe(0);
    expect(readdirSync(join(journey().proxy.home, 'mcpproxy-demo'))).toContain('new');
  });

  test('filters and the record in full', () => {
    const refused = said(journey(), /activity list --status refused/)
      .stdout.trim()
      .split('\n')
      .slice(1);
    expect(refused).toHaveLength(2);
    const reads = said(journey(), /activity list --intent-type read/).stdout;
    expect(reads).not.toMatch(/ success .*create_directory|config_change/);
    const shown = said(journey(), /activity show/).stdout;
    expect(shown).toMatch(/Tool +create_directory/);
    expect(shown).toMatch(/Variant +call_tool_write/);
    expect(shown).toMatch(/Reason +Trying mcpproxy/);
  });
});
