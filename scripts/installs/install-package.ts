import { execFile, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const LIMIT_MS = 300_000;

/** A Node.js of its own, with the npm that comes with the package `npm`. */
export interface Runtime {
  readonly version: string;
  readonly node: string;
  readonly npm: string;
}

export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The versions come from npm, like everything else that the scripts need. */
export async function fetchRuntime(version: string, cache: string): Promise<Runtime> {
  const folder = join(cache, `node-${version}`);
  const names = [`node-${process.platform}-${process.arch}@${version}`, 'npm@10'];
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
  await exec('npm', ['install', '--prefix', folder, ...flags, ...names], { timeout: LIMIT_MS });
  const modules = join(folder, 'node_modules');
  const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const { stdout } = await exec(node, ['--version']);
  return { version: stdout.trim(), node, npm: join(modules, 'npm', 'bin') };
}

export async function packInto(folder: string): Promise<string> {
  const { stdout } = await exec(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
    {
      timeout: LIMIT_MS,
    },
  );
  return join(folder, stdout.trim().split('\n').at(-1)!);
}

/** An empty home, in which only this Node.js is on the search path. npm keeps the settings of the user: registry and certificates. */
export function environment(runtime: Runtime, home: string): NodeJS.ProcessEnv {
  const { npm_config_userconfig: settings, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    HOME: home,
    PATH: [dirname(runtime.node), '/usr/bin', '/bin'].join(':'),
    LANG: 'C.UTF-8',
    ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
    npm_config_userconfig: settings ?? join(homedir(), '.npmrc'),
    npm_config_ignore_scripts: 'true',
    npm_config_update_notifier: 'false',
  };
}

/** `npm install -g`: the program is then in `bin` of the prefix. */
export async function installGlobally(runtime: Runtime, archive: string, home: string): Promise<string> {
  const prefix = join(home, 'global');
  const args = [join(runtime.npm, 'npm-cli.js'), 'install', '--global', '--prefix', prefix, archive];
  await exec(runtime.node, args, { env: environment(runtime, home), timeout: LIMIT_MS });
  return prefix;
}

export async function run({ path, args, env }: Command): Promise<string> {
  const { stdout } = await exec(path, [...args], { env, timeout: LIMIT_MS });
  return stdout;
}

/** Starts a program that goes on, and waits until it has printed the text. */
export async function startUntil({ path, args, env }: Command, text: string) {
  const began = performance.now();
  const child = spawn(path, [...args], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${path} ${args.join(' ')}: ${why}\n${output}`));
    const timer = setTimeout(() => fail(`no "${text}" in time`), LIMIT_MS);
    child.once('exit', (code) => fail(`exit code ${code}`)).once('error', reject);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece;
        if (!output.includes(text)) return;
        clearTimeout(timer);
        resolve();
      });
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    ms: performance.now() - began,
    exited,
    kill: () => child.exitCode ?? process.kill(-child.pid!, 'SIGKILL'),
  };
}

export function sizeOf(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
