import type { Command } from 'commander';
import type { ConversationReplay } from '../../../../contract/chat.ts';
import { EXIT } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';

export function chatReplay(bind: Bind): Command {
  return define('replay', {
    summary: 'Decide every message of a conversation once more',
    description:
      'Decide every message of a conversation once more from what was stored with it, and show each decision that comes out otherwise. Nothing is run. Exit code 1 where something differs, as it may after an update of mcpproxy.',
    examples: [
      'mcpproxy chat replay 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11',
      'mcpproxy chat replay 6f1c0a52-3d0e-4a7e-9f3a-0f1f5a1f7c11 -o json',
    ],
  })
    .argument('<conversation>', 'its id, as "chat list" gives it')
    .action(bind((context, _flags, id) => runReplay(context, id)));
}

async function runReplay(context: Context, id: string): Promise<number> {
  const replay = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('replayConversation', { id }),
  );
  await print(context, replay, () => described(replay));
  return replay.differences.length === 0 ? EXIT.ok : EXIT.general;
}

function described({ decisions, differences }: ConversationReplay): string {
  if (differences.length === 0) return `${decisions} decisions, no difference\n`;
  const lines = differences.flatMap(({ message_id, message, was, is }) => [
    `${message_id}  ${visibleLine(message)}`,
    `  was  ${visibleLine(JSON.stringify(was))}`,
    `  is   ${visibleLine(JSON.stringify(is))}`,
  ]);
  return `${lines.join('\n')}\n${decisions} decisions, ${differences.length} differ\n`;
}
