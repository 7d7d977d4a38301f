import { describe, expect, test } from 'vitest';
import { diffConfig, flattenConfig } from './diff-config.ts';
import { maskedArguments, maskedUrl } from './mask-target.ts';
import { parseConfig } from './parse.ts';
import { showConfig } from './show.ts';

const S = 'CANARY9';

/** Places where people write a secret into a command line. */
const SECRET_WORDS: string[][] = [
  ['server', '--password', S],
  ['server', '--pass', S],
  ['server', '--dbPass', S],
  ['server', `--api-key=${S}`],
  ['server', `token=${S}`],
  ['docker', 'run', '-e', `TOKEN=${S}`, `--env=DB_PASS=${S}`],
  ['mcp-remote', 'https://h/mcp', '--header', `Authorization: Bearer ${S}`],
  ['mcp-remote', '--header', `X-Custom:${S}`],
  ['curl', '-H', `X-Api-Key: ${S}`, `--header=Cookie: a=${S}`, `-HAuthorization: ${S}`],
  ['curl', '-u', `me:${S}`],
  ['server', `Authorization: Bearer ${S}`],
  ['psql', `postgres://u:${S}@h/db`],
  ['psql', `--url=postgres://u:${S}/${S}@h/db`],
  ['server', `Server=h;User Id=u;Password=${S}`],
  ['server', `jdbc:sqlserver://h:1433;user=u;password=${S}`],
  ['server', `https://h/x?sig=${S}&a=1`, `https://h/x?signature=${S}`, `https://h/x?pwd=${S}&code=${S}`],
  ['server', `https://h/x#${S}`],
  ['mysql', '-u', 'root', `-p${S}`],
  ['mysql', '-plowercase-canary9'],
  ['sshpass', '-p', S, 'ssh', 'h'],
  ['sh', '-c', `TOKEN=${S} server --password "${S} ${S}" -H 'Authorization: Bearer ${S}'`],
  ['server', `{"token": "${S}", "a": 1}`],
  ['server', `\${TOKEN:-${S}}`],
];

describe('one masker for every view of the configuration', () => {
  test.each(SECRET_WORDS.map((words) => [words]))('a literal secret in %j', (words) => {
    const masked = maskedArguments(words);
    expect(masked.join(' ')).not.toMatch(/canary9/i);
    expect(masked).toHaveLength(words.length);
    expect(masked.join(' ')).toContain('***');
    const [command, ...args] = words;
    const config = parseConfig(
      JSON.stringify({ approvals: { notify: words }, mcpServers: { a: { command, args } } }),
      'f',
    );
    expect(JSON.stringify(showConfig(config))).not.toMatch(/canary9/i);
    const changes = diffConfig({}, flattenConfig(config, 'salt'));
    expect(JSON.stringify(changes)).not.toMatch(/canary9/i);
  });

  test.each([
    ['npx', '-y', '@scope/server', '--port', '8080', '-p8080', '-p127.0.0.1:80:80', '--verbose'],
    ['npx', '--token', '${env:TOKEN}', '--header', 'Authorization: Bearer ${TOKEN}', '--header', 'A:${B}'],
    ['docker', 'run', '-u', '1000:1000', '-e', 'TOKEN', '-e', 'HOME=/root', 'keycloak:23'],
    ['find', '-path', './x', '-print', '-profile=dev'],
    ['uvx', '--from', 'git+https://github.com/a/b@v1#main', 'b'],
    ['server', 'https://h:8080/@scope/x?a=1&barcode=2', 'file:///a/b@c', 'https://[::1]:80/a@b'],
    ['sh', '-c', 'cd  /tmp && server --port 80 "a b"'],
    ['server', '{"a": "b"}', 'a=b;c=d', '${HOME:-/root}'],
  ])('what is no secret stays: %j', (...words) => {
    expect(maskedArguments(words)).toEqual(words);
  });

  test('long words take no long time', () => {
    const long = [
      'a=',
      '"',
      "'",
      '"a":"',
      '?',
      '${A:-',
      'a ',
      '" ',
      'https://',
      '://',
      '-p',
      ';',
      'bearer ',
      'a',
    ];
    // With steps in proportion to the square of the text, one of them alone would pass the time limit of a test.
    for (const part of long) expect(maskedArguments(['x', part.repeat(60_000)])).toHaveLength(2);
  });

  test('of a URL', () => {
    expect(maskedUrl('https://u:p@h/mcp?sig=a&x=1&code=b#c')).toBe(
      'https://***@h/mcp?sig=***&x=1&code=***#***',
    );
    expect(maskedUrl('${BASE}/mcp?%74oken=a')).toBe('${BASE}/mcp?%74oken=***');
    expect(maskedUrl('https://h/?token=${env:T}')).toBe('https://h/?token=${env:T}');
    expect(maskedUrl('https://h/?token=${T:-abc}')).toBe('https://h/?token=***');
  });
});
