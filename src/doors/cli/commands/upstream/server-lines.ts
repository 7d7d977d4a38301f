import { stateText, type ServerView } from '../../../../contract/status.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { withPlace, type Context } from '../../context.ts';
import { stateCell } from '../../output/style.ts';
import { fields, heading, type Cell } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';
import { isPlain } from './server-flags.ts';

/** The details of a server, uncut. */
export function serverLines({ style, place, io }: Context, server: ServerView): string {
  const info = server.server_info;
  return fields(style, [
    ['Server', server.name],
    ['Title', server.title === server.name ? undefined : server.title],
    ['Description', server.description],
    ['State', { ...stateCell(style, server.state), text: stateText(server, io.now()) }],
    ['Since', localTime(server.since)],
    ['Last error', server.last_error],
    ['What to do', server.next_step && withPlace(place, server.next_step)],
    ['Log-in', loginText(server.login)],
    ['Tools', server.tool_count],
    ['Target', server.target],
    ['Transport', server.transport],
    ['Protocol', server.protocol],
    ['Says it is', info && `${info.name} ${info.version}`],
    ['Process', server.pid],
    ['Restarts', server.restarts === 0 ? undefined : server.restarts],
    ['Warnings', server.warnings?.join('; ')],
  ]);
}

function loginText(login: ServerView['login']): string | undefined {
  if (!login || login.needed) return undefined;
  const { issuer = '', scopes = [], expires_at: until, refreshes } = login;
  const life = refreshes ? 'refreshed without you' : until && `until ${localTime(until)}`;
  return [issuer, scopes.join(' '), life].filter(Boolean).join('; ');
}

/** The settings in the configuration, with secrets masked, each as `upstream edit --set` names it. */
export function settingLines({ style }: Pick<Context, 'style'>, settings: Record<string, unknown>): string {
  const lines = Object.entries(settings).flatMap(([key, value]) => flatSettings(key, value));
  return lines.length === 0 ? '' : heading(style, 'Settings') + fields(style, lines);
}

function flatSettings(key: string, value: unknown): Array<[string, Cell]> {
  if (!isPlain(value)) return [[visibleLine(key), typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, inner]) => flatSettings(`${key}.${name}`, inner));
}
