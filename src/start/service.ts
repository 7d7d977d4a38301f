import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDataDir, readDaemon, writeFileAtomically } from '../config/index.ts';
import { ProxyError } from '../contract/errors.ts';
import type { CommandResult, ServiceCommand, ServiceRuntime } from '../doors/cli/index.ts';
import { configPaths } from './config-commands.ts';

const COMMAND_MS = 60_000;
const LISTEN_MS = 30_000;
const STEP_MS = 100;
const MAX_OUTPUT = 16 * 1024;
const UTF16_MARK = '\ufeff';

/** The service manager of this machine. */
export const serviceRuntime: ServiceRuntime = {
  async facts(place) {
    const { config_file: configFile, data_dir: dataDir } = await configPaths(place);
    const { username: userName, uid } = userInfo();
    return {
      platform: process.platform,
      home: homedir(),
      userName,
      uid,
      node: process.execPath,
      main: process.argv[1]!,
      path: process.env.PATH ?? '',
      configFile,
      dataDir,
    };
  },
  makeDataDir: async (dataDir) => ensureDataDir(dataDir),
  run: runCommand,
  async read(file) {
    if (!existsSync(file)) return undefined;
    const bytes = readFileSync(file);
    return isUtf16(file) ? bytes.toString('utf16le').replace(UTF16_MARK, '') : bytes.toString('utf8');
  },
  async write(file, text) {
    await withRights(file, () => {
      mkdirSync(dirname(file), { recursive: true });
      if (isUtf16(file)) writeFileSync(file, UTF16_MARK + text, 'utf16le');
      else writeFileAtomically(file, text, 0o644);
    });
  },
  remove: (file) => withRights(file, () => rmSync(file, { force: true })),
  daemon: async (dataDir) => readDaemon(dataDir) ?? undefined,
  async untilListening(dataDir) {
    for (const end = performance.now() + LISTEN_MS; performance.now() < end; await pause(STEP_MS)) {
      const url = readDaemon(dataDir)?.url;
      if (url !== undefined) return url;
    }
    return undefined;
  },
};

/** The Task Scheduler reads no other encoding. */
const isUtf16 = (file: string) => file.endsWith('.xml');

async function withRights(file: string, change: () => void): Promise<void> {
  try {
    change();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const next = code === 'EACCES' || code === 'EPERM' ? '. Run the command as administrator (sudo)' : '';
    throw new ProxyError('USAGE', `Cannot change ${file}: ${message}${next}`, { file }).withCause(cause);
  }
}

/** Code 127 if the program does not exist, as shells say it. */
function runCommand([program, ...args]: ServiceCommand): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: COMMAND_MS });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(0, MAX_OUTPUT)));
    child.on('error', ({ message }) => resolve({ code: 127, text: message }));
    child.on('close', (code, signal) =>
      resolve({ code: code ?? 1, text: signal ? `${text} ended by ${signal}` : text }),
    );
  });
}
