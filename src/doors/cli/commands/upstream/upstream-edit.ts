import type { Command } from 'commander';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { define, repeated, type Bind } from '../../define.ts';
import { editedSettings } from './edit-settings.ts';
import { mergedPatch, readPairs, removalPatch, settingPatch } from './server-flags.ts';
import { serverLines } from './server-lines.ts';
import { exitCodeOf, hintNext, untilStarted } from './until-started.ts';

interface EditFlags {
  set?: string[];
  unset?: string[];
  env?: string[];
  header?: string[];
  arg?: string[];
  wait?: boolean;
}

export function upstreamEdit(bind: Bind): Command {
  return define('edit', {
    summary: 'Change the settings of a server',
    description:
      'Change the settings of a server, by flags or in an editor ($VISUAL or $EDITOR). The change is validated before it is written, and comments in the file stay. Secrets are shown as ***; a value that you leave so stays as it is. A server that fails with the new settings ends the command with exit code 9.',
    examples: [
      'mcpproxy upstream edit files',
      'mcpproxy upstream edit files --set timeout=30s --unset env.DEBUG --arg -y --arg my-server',
      'mcpproxy upstream edit github --env GITHUB_TOKEN=- < token.txt',
    ],
  })
    .argument('<name>', 'name or alias of the server')
    .addOption(
      repeated(
        '--set <key=value>',
        'change a setting, as in timeout=30s, enabled=false or tools.purge.operation=destructive; can be repeated',
      ),
    )
    .addOption(repeated('--unset <key>', 'remove a setting, as in cwd or env.NAME; can be repeated'))
    .addOption(
      repeated('--env <name=value>', 'set an environment variable; can be repeated; value "-": from stdin'),
    )
    .addOption(repeated('--header <name=value>', 'set a header; can be repeated; value "-": from stdin'))
    .addOption(
      repeated(
        '--arg <text>',
        'an argument of the program; repeat it for all arguments: they replace the old ones',
      ),
    )
    .option('--no-wait', 'do not wait until the server has started')
    .action(
      bind<EditFlags>(async (context, flags, name) => {
        const { patch, secret } = await patchOf(context, flags);
        const isEditor = Object.keys(patch).length === 0;
        const { terminal } = context.io;
        if (isEditor && !(terminal.in && terminal.err))
          throw new ProxyError(
            'USAGE',
            'Specify what to change, for example: --set timeout=30s. The editor needs a terminal',
          );
        return edit(context, name, {
          patch: isEditor ? undefined : patch,
          secret,
          wait: flags.wait !== false,
        });
      }),
    );
}

async function patchOf({ io }: Context, flags: EditFlags) {
  const { secret, ...pairs } = await readPairs(io, flags);
  const patch = mergedPatch([
    ...(flags.set ?? []).map(settingPatch),
    ...(flags.unset ?? []).map(removalPatch),
    pairs,
    ...(flags.arg ? [{ args: flags.arg }] : []),
  ]);
  return { patch, secret };
}

interface Edit {
  /** Absent: a person edits the settings. */
  patch: Record<string, unknown> | undefined;
  /** The value that was read from stdin. */
  secret: string | undefined;
  wait: boolean;
}

async function edit(context: Context, name: string, { patch, secret, wait }: Edit): Promise<number> {
  const outcome = await withProxy(context, 'daemon-or-offline', async (reached) => {
    const first = patch
      ? await reached.request('updateServer', { name, ...(secret && { secret }), body: patch })
      : await editedByPerson(context, reached, name);
    const { embedded } = reached;
    return { server: first && wait ? await untilStarted(context, reached, first) : first, embedded };
  });
  const { server, embedded } = outcome;
  if (!server) {
    hint(context, 'Nothing was changed.');
    return EXIT.ok;
  }
  await print(context, server, () => serverLines(context, server));
  if (embedded) hint(context, 'Changed in the configuration. It takes effect when the proxy starts.');
  else hintNext(context, server);
  return exitCodeOf(server);
}

/** Until the settings are valid, or the person gives up. Undefined: nothing was changed. */
async function editedByPerson(context: Context, { request }: Reached, name: string) {
  const { settings, title } = await request('serverSettings', { name });
  let draft: string | undefined;
  for (;;) {
    const { text, patch, problem } = await editedSettings(context.io, { title, settings, draft });
    if (problem === undefined && patch === undefined) return undefined;
    const failed = problem ?? (await tryUpdate(patch!));
    if (typeof failed !== 'string') return failed;
    context.io.err(`${failed}\n`);
    const answer = await context.io.ask('Edit again? [Y/n] ');
    if (/^n(o)?$/i.test(answer.trim())) return undefined;
    draft = text;
  }

  async function tryUpdate(body: Record<string, unknown>) {
    try {
      return await request('updateServer', { name, body });
    } catch (error) {
      if (
        error instanceof ProxyError &&
        (error.code === 'INVALID_REQUEST' || error.code === 'CONFIG_INVALID')
      )
        return error.message;
      throw error;
    }
  }
}
