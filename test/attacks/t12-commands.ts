import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig } from '../../src/contract/config.ts';
import { runCli } from '../e2e/run-cli.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture, fixturePath } from '../fixtures/start.ts';
import type { Attack, Scale, Tally } from './attack.ts';

const ATTEMPTS = (pwned: string) => [
  `; touch ${pwned}`,
  `$(touch ${pwned})`,
  `\`touch ${pwned}\``,
  `| touch ${pwned}`,
  `&& touch ${pwned}`,
  `\n touch ${pwned}\n`,
  `' ; touch ${pwned} ; '`,
  `" ; touch ${pwned} ; "`,
  `\u202e; touch ${pwned}`,
  `--eval=require('fs').writeFileSync('${pwned}','')`,
  'x'.repeat(5000),
];

const DANGEROUS = [
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'DYLD_INSERT_LIBRARIES',
  'NODE_OPTIONS',
  'node_options',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'BASH_ENV',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'GIT_SSH_COMMAND',
  'BASH_FUNC_ls%%',
];

/** Adding a server means running a program, so only the operator may do it. Nothing in a name, an argument or a variable runs anything else. */
export const commands: Attack = {
  threat: 'T12',
  title: 'commands, arguments and environment of servers',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t12-'));
    const pwned = join(dir, 'pwned');
    const proxy = await startProxy({ env: { CANARY_VARIABLE: 'CANARY-env', NODE_OPTIONS: '' } });
    try {
      await byAgent(proxy, tally);
      await byArguments({ proxy, pwned, tally, scale });
      await byVariables(proxy, tally, scale);
      await inherited(proxy, tally);
      tally.held(!existsSync(pwned), 'something was run');
    } finally {
      await proxy.dispose();
      rmSync(dir, { recursive: true, force: true });
    }
    await byLooseFile(tally, scale);
  },
};

async function add(
  { url, key }: Pick<RunningProxy, 'url' | 'key'>,
  name: string,
  config: ServerConfig,
): Promise<Response> {
  return fetch(`${url}/api/v1/servers`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ name, config }),
  });
}

async function byAgent(proxy: RunningProxy, tally: Tally): Promise<void> {
  const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
  const config = { command: 'touch', args: ['x'] };
  tally.held(
    (await add({ url: proxy.url, key: token }, 'agents', config)).status === 403,
    'an agent added a server',
  );
  for (const action of ['enable', 'disable', 'restart', 'approve']) {
    const { status } = await fetch(`${proxy.url}/api/v1/servers/tasks/${action}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    tally.held(status === 403, `an agent: ${action} gave ${status}`);
  }
  const { place } = proxy;
  const cli = await runCli([...'upstream add agents'.split(' '), ...place, '--', 'touch', 'x'], {
    home: proxy.home,
    env: { MCPPROXY_TOKEN: token },
  });
  tally.held(cli.code === 3, `an agent added a server by the command line: ${cli.code}`);
  const { servers } = await proxy.rest.request('listServers', {});
  tally.held(!servers.some(({ name }) => name === 'agents'), 'the server is there');
}

interface ByArguments {
  proxy: RunningProxy;
  /** A file that is there once something ran. */
  pwned: string;
  tally: Tally;
  scale: Scale;
}

/** A server that answers with what it was started with tells whether a shell had a say. */
async function byArguments({ proxy, pwned, tally, scale }: ByArguments): Promise<void> {
  const { command } = fixture('annotated.mjs');
  const base = [fixturePath('annotated.mjs')];
  const chosen = ATTEMPTS(pwned).filter((_, i) => scale === 'full' || i % 7 === 1);
  for (const [i, text] of chosen.entries()) {
    const name = `args${i}`;
    const response = await add(proxy, name, { command: command!, args: [...base, text] });
    const { pid, target } = await started(proxy, name, response);
    const argv = pid === undefined ? [] : readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    tally.held(argv.includes(text), `argument ${i} did not arrive as it is`);
    tally.held(
      target.length >= Math.min(text.length, 5000),
      `the command is not shown in full: ${target.length}`,
    );
    tally.held(!existsSync(pwned), `run: ${text}`);
    await proxy.rest.request('removeServer', { name });
  }
  for (const config of [{ command: `touch ${pwned}` }, { command: `/bin/sh -c "touch ${pwned}"` }]) {
    await add(proxy, 'whole', config);
    const { servers } = await proxy.rest.request('listServers', {});
    tally.held(
      servers.find(({ name }) => name === 'whole')?.state !== 'ready',
      'a command line was taken apart',
    );
    tally.held(!existsSync(pwned), `run: ${config.command}`);
    await proxy.rest.request('removeServer', { name: 'whole' }).catch(() => undefined);
  }
  for (const name of ['a\nb', 'a\u0000b', ''])
    tally.held(
      (await add(proxy, name, { command: 'true' })).status === 400,
      `a server named ${JSON.stringify(name)}`,
    );
  for (const name of ['../x', 'a b', 'a;b', '$(x)', '-rf']) {
    const added = await add(proxy, name, { command: 'true', enabled: false });
    const { name: alias = '' } = (await added.json()) as { name?: string };
    tally.held(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(alias), `a server named ${name} is called ${alias}`);
  }
}

async function started(
  proxy: RunningProxy,
  name: string,
  response: Response,
): Promise<{ pid: number | undefined; target: string }> {
  const view = (await response.json()) as { target?: string };
  const pid = await poll(name, proxy.stderr, async () => {
    const server = await proxy.rest.request('getServer', { name });
    return server.state === 'ready' ? server.pid : undefined;
  });
  return { pid, target: view.target ?? '' };
}

async function byVariables(proxy: RunningProxy, tally: Tally, scale: Scale): Promise<void> {
  for (const variable of DANGEROUS.filter((_, i) => scale === 'full' || i % 6 === 0)) {
    const config = { ...fixture('annotated.mjs'), env: { [variable]: '/tmp/evil' } };
    const response = await add(proxy, 'loaded', config);
    const view = (await response.json()) as { state?: string };
    tally.held(response.status >= 400 || view.state !== 'ready', `${variable} was passed on`);
    if (response.status < 400) await proxy.rest.request('removeServer', { name: 'loaded' });
  }
}

async function inherited(proxy: RunningProxy, tally: Tally): Promise<void> {
  await add(proxy, 'env', { ...fixture('annotated.mjs'), env: { GIVEN: 'yes' } });
  const body = {
    tool_variant: 'call_tool_read' as const,
    name: 'env:environment',
    intent: { operation_type: 'read' },
  };
  const text = JSON.stringify(await proxy.rest.request('callTool', { body }));
  tally.held(text.includes('GIVEN') && !text.includes('CANARY-env'), 'our environment reached a server');
}

async function byLooseFile(tally: Tally, scale: Scale): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-t12b-'));
  const file = join(home, 'config.json');
  try {
    for (const mode of scale === 'full' ? [0o622, 0o660, 0o666] : [0o660]) {
      writeFileSync(file, '{}');
      chmodSync(file, mode);
      const args = ['serve', '--listen', '127.0.0.1:0', '--config', file, '--data-dir', join(home, 'data')];
      const { code } = await runCli(args, { home });
      tally.held(code === 4, `a configuration of mode ${mode.toString(8)} was taken: ${code}`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
