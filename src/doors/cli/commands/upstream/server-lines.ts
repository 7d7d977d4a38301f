import { waitingText, type ServerView } from '../../../../contract/status.ts';
import { stateCell, type Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';

/** One server after something was done to it. */
export function serverLines(style: Style, server: ServerView, now: number): string {
  return fields(style, [
    ['Server', server.name],
    ['Title', server.title === server.name ? undefined : server.title],
    ['Description', server.description],
    ['State', stateCell(style, server.state)],
    ['Progress', waitingText(server, now)],
    ['Tools', server.tool_count],
    ['Target', server.target],
    ['Last error', server.last_error],
    ['Warnings', server.warnings?.join('; ')],
  ]);
}
