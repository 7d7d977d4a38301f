import { readFileSync } from 'node:fs';
import { askParityText } from './ask-parity.ts';
import { NOT_APPLICABLE } from './not-applicable.ts';
import { parityText } from './parity.ts';
import { serverParityText } from './server-parity.ts';
import { LISTS, type List } from './scenarios.ts';

const SUITE = '@modelcontextprotocol/conformance';

const WAYS: Record<List['way'], string> = {
  endpoint: 'The suite uses `/mcp` directly. Its requests carry the required key.',
  direct: 'The suite uses `/mcp/direct`, where the tools of the servers have names of their own.',
  adapter:
    'The suite uses fixed names and URIs. Behind the proxy the names of tools are arguments of `call_tool_read`, and those of prompts and resources begin with their server. An adapter translates them and shows the catalog of one server as the list of tools; everything else passes as it is.',
  upstream:
    'The server of the suite is an upstream of the proxy, and an agent finds, describes and calls its tools through the proxy.',
  login:
    'The server of the suite is an upstream of the proxy and asks for a log-in. An operator without a browser logs in by REST with the address of the redirect, as often as the proxy asks for it; then an agent calls a tool.',
};

/** docs/conformance.md: what is tested, what is not, and why, from the same lists that the tests run. */
export function conformancePage(): string {
  const lines = [
    '# Conformance',
    '',
    '<!-- Made by `npm run docs`; a test fails when it is out of date. -->',
    '',
    `The official suite \`${SUITE}\` ${suiteVersion()} is part of \`npm test\` (\`test/conformance\`). It has requirements for two revisions of the`,
    'protocol, 2025-11-25 and 2026-07-28, for servers and for clients; a proxy is both. Every scenario of the suite is listed here: a test',
    'fails when the suite has a scenario that this page does not name.',
    '',
    'The number is the minimum of successful checks, because the suite also reports a scenario as passed if it could check nothing.',
    'All other checks of a scenario must not fail or warn, except those listed below it.',
    '',
    '## As a server',
    '',
    ...LISTS.filter(({ side }) => side === 'server').flatMap(listText),
    '## As a client',
    '',
    ...LISTS.filter(({ side }) => side === 'client').flatMap(listText),
    ...parityText(),
    ...serverParityText(),
    ...askParityText(),
    '## What does not apply',
    '',
    '| side | scenarios | why |',
    '|---|---|---|',
    ...NOT_APPLICABLE.map(({ side, scenarios, why }) => `| ${side} | ${codes(scenarios)} | ${why} |`),
    '',
    'Legacy SSE and stdio are not covered by the suite; `src/upstream` and `src/doors/mcp` have separate tests for both, and',
    '`test/e2e` uses the official clients over stdio and HTTP.',
  ];
  return `${lines.join('\n')}\n`;
}

function listText(list: List): string[] {
  const { way, scenarios, excused = {}, mayWarn = {} } = list;
  const exceptions = [...Object.entries(excused), ...Object.entries(mayWarn)];
  return [
    `### ${titleOf(list)}`,
    '',
    WAYS[way],
    '',
    '| scenario | checks |',
    '|---|---|',
    ...Object.entries(scenarios).map(([name, checks]) => `| \`${name}\` | ${checks} |`),
    '',
    ...(exceptions.length > 0
      ? ['Excepted:', '', ...exceptions.map(([check, why]) => `- \`${check}\`: ${why}`), '']
      : []),
  ];
}

export function titleOf({ revision, way, behind, database }: List): string {
  if (database) return `${revision}, with PostgreSQL, which keeps what was sent`;
  if (way === 'endpoint') return `${revision}, the endpoint itself`;
  if (way === 'direct') return `${revision}, direct mode`;
  if (way === 'login') return `${revision}, log-in to the suite behind the proxy`;
  if (way === 'upstream') return `${revision}, the suite behind the proxy`;
  if (behind === 'background') return `${revision}, a server that runs calls in the background`;
  if (behind === 'skills') return `${revision}, a server with skills`;
  return `${revision}, a server with ${behind}`;
}

function codes(names: string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function suiteVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return devDependencies[SUITE]!;
}
