import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnv, MAIN } from './start-proxy.ts';

export interface Ran {
  command: string;
  stdout: string;
  stderr: string;
  code: number;
}

export interface Block {
  language: string;
  lines: string[];
}

/** What a page tells its reader to type elsewhere or earlier: the set-up of the clone. */
const NOT_HERE = /^npm (install|start|link)\b/;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The fenced blocks of a page, or of one of its sections. */
export function blocksOf(page: string, section?: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const part =
    section === undefined
      ? text
      : (text.split(/^## /m).find((piece) => piece.startsWith(`${section}\n`)) ?? '');
  return [...part.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, body]) => ({
    language: language!,
    lines: body!.split('\n').filter((line) => line.trim() !== ''),
  }));
}

/** The commands of a page that a reader types with the proxy running. */
export function commandsOf(blocks: Block[]): string[] {
  return blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ lines }) => joined(lines).filter((line) => !NOT_HERE.test(line)));
}

/** A group in braces is one command, over several lines. */
function joined(lines: string[]): string[] {
  const commands: string[] = [];
  let group: string[] = [];
  for (const line of lines) {
    group.push(line);
    if (group[0]!.endsWith('{') && line !== '}') continue;
    commands.push(group.join('\n'));
    group = [];
  }
  return [...commands, ...group];
}

/** The entry that the stand-in for Claude Code holds: the words of the command that added it. */
export function claudeEntry(home: string): string[] | undefined {
  const file = join(home, 'bin', 'claude.entry');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : undefined;
}

/**
 * A PATH on which `mcpproxy` is the built program, `npx` starts the installed packages instead of downloading them, and `claude` is a
 * stand-in.
 */
export function newcomerPath(home: string): string {
  const before = join(home, 'bin');
  const after = join(home, 'fallback');
  mkdirSync(before);
  mkdirSync(after);
  const node = `'${process.execPath}'`;
  script(join(before, 'node'), `exec ${node} "$@"`);
  script(join(before, 'mcpproxy'), `exec ${node} '${MAIN}' "$@"`);
  script(
    join(before, 'npx'),
    `[ "$1" = -y ] || { echo "npx: expected -y, got $1" >&2; exit 64; }
entry='${root}node_modules/'"$2"'/dist/index.js'
[ -f "$entry" ] || { echo "npx: $2 is not installed" >&2; exit 65; }
shift 2
exec ${node} "$entry" "$@"`,
  );
  // As the real one: it keeps what it was given, and refuses a name that it has already.
  script(
    join(before, 'claude'),
    `entry='${before}/claude.entry'
case "$1 $2" in
'mcp add') [ ! -e "$entry" ] || { echo 'MCP server mcpproxy already exists' >&2; exit 1; }; printf '%s\\n' "$@" >"$entry" ;;
'mcp remove') rm "$entry" 2>/dev/null || { echo 'No MCP server named mcpproxy' >&2; exit 1; } ;;
*) exit 64 ;;
esac`,
  );
  // Only where the machine has none: the pages use -s and -H alone.
  script(
    join(after, 'curl'),
    `exec ${node} -e 'const [h, url] = process.argv.slice(-2); const [k, v] = h.split(": ");
fetch(url, { headers: { [k]: v } }).then((r) => r.text()).then(console.log)' -- "$3" "$4"`,
  );
  return [before, process.env.PATH, after].join(':');
}

function script(file: string, body: string): void {
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}

/** Runs the commands one after the other in one shell, as a person would, and keeps what each of them said. */
export async function runCommands(commands: string[], home: string, path: string): Promise<Ran[]> {
  const out = mkdtempSync(join(home, 'said-'));
  const lines = commands.map(
    (command, at) => `{ ${command}\n} >'${out}/${at}.out' 2>'${out}/${at}.err'; echo $? >'${out}/${at}.code'`,
  );
  const shell = spawn('sh', ['-c', lines.join('\n')], {
    env: { ...cleanEnv(home), PATH: path },
    cwd: home,
    stdio: 'ignore',
    timeout: 280_000,
  });
  await once(shell, 'exit');
  const read = (at: number, what: string) => readFileSync(join(out, `${at}.${what}`), 'utf8');
  return commands.map((command, at) => ({
    command,
    stdout: read(at, 'out'),
    stderr: read(at, 'err'),
    code: Number(read(at, 'code')),
  }));
}
