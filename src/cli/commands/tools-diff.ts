import type { Command } from 'commander';
import type { ToolDiff } from '../../contract/judged-tool.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { hint, print, withProxy } from '../context.ts';
import { define, type Bind } from '../define.ts';
import type { Style } from '../style.ts';
import { fields } from '../table.ts';
import { localTime } from '../time.ts';

export function toolsDiff(bind: Bind): Command {
  return define('diff', {
    summary: 'How a tool differs from the definition that was accepted',
    examples: ['mcpproxy tools diff github:create_issue', 'mcpproxy tools diff github:create_issue -o json'],
  })
    .argument('<server:tool>', 'the tool')
    .action(
      bind(async (context, _, name) => {
        const diff = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('diffTool', { name }),
        );
        await print(context, diff, () => detail(context.style, diff));
        if (diff.standing !== 'accepted')
          hint(
            context,
            `accept it with: mcpproxy tools approve ${visibleLine(name)} --hash ${diff.definition_hash}`,
          );
      }),
    );
}

function detail(style: Style, diff: ToolDiff): string {
  const { accepted } = diff;
  return [
    fields(style, [
      ['Tool', diff.name],
      ['Standing', diff.withheld ? `${diff.standing}, withheld from agents` : diff.standing],
      ['Accepted', accepted ? `${localTime(accepted.at)} by ${accepted.by}` : 'never'],
    ]),
    ...diff.notes.map((note) => `${visibleLine(note)}\n`),
    ...diff.changes.map((change) => changeLines(style, change)),
    diff.changes.length + diff.notes.length === 0 ? 'no difference\n' : '',
  ].join('');
}

/** One field: its place, then what was and what is, line by line; equal lines at both ends are left out. */
function changeLines({ colors }: Style, { path, before, after }: ToolDiff['changes'][number]): string {
  const [old, now] = trimmed(linesOf(before), linesOf(after));
  return [
    `\n${colors.bold(visibleLine(path || '/'))}\n`,
    ...old.map((line) => `${colors.red(`- ${visibleLine(line)}`)}\n`),
    ...now.map((line) => `${colors.green(`+ ${visibleLine(line)}`)}\n`),
  ].join('');
}

/** A text is shown by its own lines rather than as one long JSON string. */
function linesOf(json: string | undefined): string[] {
  if (json === undefined) return [];
  if (!json.startsWith('"')) return json.split('\n');
  try {
    return (JSON.parse(json) as string).split('\n');
  } catch {
    return [json]; // Cut, so no longer JSON.
  }
}

function trimmed(old: string[], now: string[]): [string[], string[]] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
}
