import type { Command } from 'commander';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import { table } from '../../output/table.ts';
import { itemDiffLines } from '../tools/tool-diff.ts';

const EXAMPLE = 'mcpproxy://docs/skill://acme/forms/SKILL.md';

export function skills(bind: Bind): Command {
  return define('skills', {
    summary: 'List the skills of all servers, and decide about changed ones',
    examples: ['mcpproxy skills list', 'mcpproxy skills list --withheld', `mcpproxy skills diff ${EXAMPLE}`],
    subcommands: [skillsList(bind), skillsDiff(bind), ...decisions(bind)],
  });
}

interface ListFlags {
  server?: string;
  withheld?: boolean;
  limit?: number;
  cursor?: string;
}

function skillsList(bind: Bind): Command {
  return define('list', {
    summary: 'List all skills by server',
    examples: ['mcpproxy skills list', 'mcpproxy skills list --server docs -o json'],
  })
    .option('--server <name>', 'only skills of this server')
    .option('--withheld', 'only skills that are withheld from agents until they are approved')
    .addOption(
      checked(
        '--limit <n>',
        'skills per page (1–1000, default 100)',
        ({ routes }) => routes.listSkills.query.shape.limit,
      ),
    )
    .addOption(
      checked(
        '--cursor <cursor>',
        'continue after the previous page',
        ({ routes }) => routes.listSkills.query.shape.cursor,
      ),
    )
    .action(bind<ListFlags>(runList));
}

async function runList(context: Context, { withheld, ...flags }: ListFlags): Promise<void> {
  const input = { ...flags, ...(withheld && { withheld: 'true' as const }) };
  const page = await withProxy(context, 'daemon-or-embedded', ({ request }) => request('listSkills', input));
  const columns = ['URI', 'NAME', 'FILES', 'STATUS', 'DESCRIPTION'].map((title) => ({ title }));
  await print(context, page, () =>
    table(
      context.style,
      columns,
      page.skills.map(({ uri, name, files, standing, description = '', ...skill }) => [
        uri,
        name,
        String(files),
        skill.withheld ? `${standing}, withheld` : standing,
        description.split('\n', 1)[0]!,
      ]),
    ),
  );
  if (page.next_cursor !== null)
    hint(
      context,
      `Showing ${page.skills.length} of ${counted(page.total, 'skill')}. For more add: --limit N or --cursor ${visibleLine(page.next_cursor)}`,
    );
  else if (page.total === 0) hint(context, 'No skills: no connected server offers any that match.');
}

function skillsDiff(bind: Bind): Command {
  return define('diff', {
    summary: 'Show how a skill, or the digests of its files, differ from what was accepted',
    examples: [`mcpproxy skills diff ${EXAMPLE}`, `mcpproxy skills diff ${EXAMPLE} -o json`],
  })
    .argument('<uri>', 'the skill, as printed by "skills list"')
    .action(
      bind(async (context, _, uri) => {
        const diff = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('diffSkill', { uri }),
        );
        await print(context, diff, () => itemDiffLines(context.style, 'skill', diff));
        if (diff.withheld)
          hint(
            context,
            `Accept with: mcpproxy skills approve ${visibleLine(uri)} --hash ${diff.definition_hash}`,
          );
      }),
    );
}

const DECISIONS = [
  { verb: 'approve', route: 'approveSkill', summary: 'Accept a skill with its files as they are listed now' },
  { verb: 'reject', route: 'rejectSkill', summary: 'Withhold a new or changed skill from agents' },
] as const;

function decisions(bind: Bind): Command[] {
  return DECISIONS.map(({ verb, route, summary }) =>
    define(verb, {
      summary,
      examples: [`mcpproxy skills ${verb} ${EXAMPLE}`, `mcpproxy skills ${verb} ${EXAMPLE} -o json`],
    })
      .argument('<uri>', 'the skill, as printed by "skills list"')
      .option('--hash <hash>', 'only if the skill still has this hash, as printed by "skills diff"')
      .action(
        bind<{ hash?: string }>(async (context, flags, uri) => {
          const skill = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
            request(route, { body: { uri, ...flags } }),
          );
          const now = skill.withheld ? 'withheld from agents' : 'available to agents';
          await print(context, skill, () => `${visibleLine(skill.uri)} is ${now}.\n`);
        }),
      ),
  );
}
