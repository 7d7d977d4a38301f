import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { durationMs } from '../../../../contract/config.ts';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { isLoginPage, type StartedLogin } from '../../../../contract/oauth.ts';
import type { ServerView } from '../../../../contract/status.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { checked, define, repeated, type Bind } from '../../define.ts';
import { openBrowser } from '../../open-browser.ts';
import { serverLines } from './server-lines.ts';
import { untilStarted } from './until-started.ts';

interface LoginFlags {
  scope?: string[];
  browser?: boolean;
  paste?: boolean;
  timeout?: string;
  acceptIssuer?: boolean;
}

const STEP_MS = 500;
const DEFAULT_TIMEOUT = '5m';

export function upstreamLogin(bind: Bind): Command {
  return define('login', {
    summary: 'Log in to a server (OAuth)',
    description:
      'Log in to a server (OAuth). Prints the address of the page on which you log in, opens it in the browser if stdout is a terminal, and waits. On a machine without a browser use --paste: open the address on another machine, and paste the address to which the browser was sent back.',
    examples: [
      'mcpproxy upstream login github',
      'mcpproxy upstream login github --paste',
      'mcpproxy upstream login github --scope repo --scope read:org',
    ],
  })
    .argument('<name>', 'name of the server')
    .addOption(repeated('--scope <scope>', 'scope to ask for; can be repeated'))
    .option('--no-browser', 'only print the address')
    .option('--paste', 'read the address to which the browser was sent back from the terminal or stdin')
    .addOption(
      checked('--timeout <duration>', `how long to wait (default ${DEFAULT_TIMEOUT})`, ({ durationWithin }) =>
        durationWithin('1s', '10m'),
      ),
    )
    .option(
      '--accept-issuer',
      'accept that the server names another authorization server than at the last log-in',
    )
    .action(
      bind<LoginFlags>(async (context, flags, name) => {
        const server = await withProxy(context, 'daemon', (reached) =>
          logIn(context, reached, { name, flags }),
        );
        await print(context, server, () => serverLines(context, server));
        return server.state === 'ready' || server.state === 'degraded' ? EXIT.ok : EXIT.serverFailed;
      }),
    );
}

export function upstreamLogout(bind: Bind): Command {
  return define('logout', {
    summary: 'Log out of a server: revoke and erase its tokens',
    examples: ['mcpproxy upstream logout github', 'mcpproxy upstream logout github -o json'],
  })
    .argument('<name>', 'name of the server')
    .action(
      bind(async (context, _, name) => {
        const done = await withProxy(context, 'daemon', ({ request }) => request('logoutServer', { name }));
        await print(context, done, () => `Logged out of ${visibleLine(name)}\n`);
        if (!done.revoked)
          hint(
            context,
            `Erased here, but not revoked there: ${visibleLine(done.reason ?? 'no reason given')}`,
          );
      }),
    );
}

interface Wanted {
  name: string;
  flags: LoginFlags;
}

async function logIn(context: Context, reached: Reached, { name, flags }: Wanted): Promise<ServerView> {
  const { request } = reached;
  const { scope: scopes, acceptIssuer } = flags;
  const begun = await request('startLogin', {
    name,
    body: { ...(scopes?.length && { scopes }), ...(acceptIssuer && { accept_issuer: true }) },
  });
  if (!begun.done) {
    await showPage(context, begun, flags);
    if (flags.paste) await complete(context, reached, name);
    else await untilDone(reached, { name, flags });
  }
  return untilStarted(context, reached, await request('getServer', { name }));
}

async function showPage(
  { io, output, ...context }: Context,
  begun: StartedLogin,
  flags: LoginFlags,
): Promise<void> {
  const page = begun.authorization_url ?? '';
  if (!isLoginPage(page))
    throw new ProxyError(
      'LOGIN_FAILED',
      'The authorization server names a page that does not use https; it is not opened',
    );
  const line = `${visibleLine(new URL(page).href)}\n`;
  const all = { io, output, ...context };
  hint(
    all,
    `Log in at ${visibleLine(new URL(page).host)}, and come back when it says that you are logged in:`,
  );
  // With JSON on stdout the address is for the person alone.
  if (output === 'table') await io.out(line);
  else io.err(line);
  if (flags.browser !== false && !flags.paste && io.terminal.out) openBrowser(page);
}

/** Without a browser on this machine. */
async function complete({ io }: Context, { request }: Reached, name: string): Promise<void> {
  const redirect = io.terminal.in
    ? await io.ask('Paste the address to which the browser was sent back (its page need not load): ')
    : await firstLine(io.stdin);
  if (redirect.trim() === '')
    throw new ProxyError('USAGE', 'No address was given. Begin again, and paste the whole address');
  await request('completeLogin', { name, body: { redirect: redirect.trim() } });
}

async function firstLine(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += Buffer.from(chunk as Uint8Array).toString('utf8');
    if (text.includes('\n') || text.length > 20_000) break;
  }
  return text.split('\n')[0] ?? '';
}

async function untilDone({ request, signal }: Reached, { name, flags }: Wanted): Promise<void> {
  const limit = flags.timeout ?? DEFAULT_TIMEOUT;
  const end = performance.now() + durationMs(limit);
  while (performance.now() < end) {
    const { status, reason } = await request('loginProgress', { name });
    if (status === 'done') return;
    if (status !== 'waiting')
      throw new ProxyError('LOGIN_FAILED', reason ?? 'Another log-in was begun, so that this one ended');
    await sleep(STEP_MS, undefined, { signal });
  }
  throw new ProxyError(
    'LOGIN_FAILED',
    `Nobody logged in within ${limit}. Begin again, or allow more time with --timeout`,
  );
}
