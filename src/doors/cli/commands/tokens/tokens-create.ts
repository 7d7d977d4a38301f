import type { Command } from 'commander';
import { z } from 'zod';
import type { RouteInput } from '../../../../contract/routes/api.ts';
import { NewToken, TOKEN_EXPIRES, type MadeToken } from '../../../../contract/token.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import { localTime } from '../../output/time.ts';

type Flags = RouteInput<'createToken'>['body'];

const wanted = NewToken.shape;
/** "a, b" as a list, for the schema of the route. */
const list = <S extends z.ZodType>(schema: S) =>
  z.preprocess(
    (text) =>
      String(text)
        .split(',')
        .map((item) => item.trim()),
    schema,
  );

export function tokensCreate(bind: Bind): Command {
  return define('create', {
    summary: 'Make a token for an agent; it is shown once',
    description:
      'Make a token for an agent and print it, once: only its hash is kept. Without restrictions it may call every tool that agents may have; several restrictions must all hold. The operation that counts is the one that a tool is held to, not the variant that the agent chooses.',
    examples: [
      'mcpproxy tokens create --name cursor',
      'mcpproxy tokens create --name cursor --replace',
      "mcpproxy tokens create --name nightly --operations read --tools 'github:list_*,github:get_*' --expires 30d",
    ],
  })
    .addOption(
      checked('--name <name>', 'who will use it; on every record', wanted.name).makeOptionMandatory(),
    )
    .addOption(
      checked(
        '--operations <list>',
        'of read, write, destructive (default: all)',
        list(wanted.operations.unwrap()),
      ),
    )
    .addOption(
      checked('--servers <list>', 'servers it may use; * stands for any characters', list(wanted.servers)),
    )
    .addOption(
      checked('--tools <list>', 'tools it may call, as server:tool, as in github:list_*', list(wanted.tools)),
    )
    .addOption(
      checked(
        '--expires <duration>',
        `when it ends, from now, or "never" (default: ${TOKEN_EXPIRES})`,
        wanted.expires,
      ),
    )
    .addOption(
      checked(
        '--user <name>',
        'whose tasks of the built-in server its calls work on (default: local)',
        wanted.user,
      ),
    )
    .option(
      '--assistant',
      'it also opens the task assistant, whose questions its holder answers; for people, not for agents',
    )
    .option('--replace', 'end a token of the same name and make this one instead')
    .option('--metrics', 'it opens /metrics, for monitoring, and nothing else')
    .action(
      bind<Flags>(async (context, body) => {
        const made = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('createToken', { body }),
        );
        // The token alone, so that a script can take it as it is; what a person should know goes beside it.
        await print(context, made, () => `${visibleLine(made.token)}\n`);
        explain(context, made);
      }),
    );
}

function explain(context: Context, made: MadeToken): void {
  const { name, operations, servers, tools, metrics, expires_at, callable, replaced } = made;
  const parts = [
    metrics ? 'opens /metrics' : operations.join(', '),
    ...(servers ? [`servers ${servers.join(', ')}`] : []),
    ...(tools ? [`tools ${tools.join(', ')}`] : []),
    expires_at === null ? 'never expires' : `expires ${localTime(expires_at)}`,
  ];
  hint(context, `token '${name}': ${visibleLine(parts.join('; '))}`);
  if (replaced) hint(context, `the token that had this name (${replaced}) has ended`);
  if (callable.total > 0 && !metrics)
    hint(context, `it may call ${callable.now} of the ${callable.total} tools that are there now`);
  const how = metrics ? '' : ', or get it as MCPPROXY_TOKEN with "mcpproxy stdio"';
  hint(context, `keep it now: it is not shown again. Clients send it as "Authorization: Bearer TOKEN"${how}`);
}
