import { visibleLine } from '../../../../lib/visible-text.ts';
import { withPlace, type Context } from '../../context.ts';
import type { ConnectPlan, PrintedConnection } from '../../client-runtime.ts';
import { localTime } from '../../output/time.ts';
import type { ConnectedRow } from './connected-row.ts';

export const RULES = 'read: allow, write: ask, destructive: ask';
export const NO_RULES = 'none in its files; its own settings decide when it asks';
const UNVERIFIED = 'unverified: written as its documentation says, not tried with the program';

/** The changes that a connection would make. */
export function plansText(plans: readonly ConnectPlan[]): string {
  return plans
    .map((plan) => {
      const quiet = plan.files.every(({ change }) => change === 'none');
      return [
        headOf(plan),
        ...(quiet ? ['  no file changes; the token is replaced'] : []),
        ...plan.files.map(({ diff }) => diff),
      ]
        .filter((line) => line !== '')
        .join('\n');
    })
    .map((text) => `${text.trimEnd()}\n`)
    .join('\n');
}

/** For a client on another machine. */
export function printedText(printed: readonly PrintedConnection[], url: string): string {
  const reach = /\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]/.test(url)
    ? [`# ${new URL(url).host} is this machine: for another address use --url, or forward the port (ssh -L)`]
    : [];
  return printed
    .map(({ token_name: name, variable, files, notes, ...client }) =>
      [
        `# ${headOf(client)}`,
        '#',
        `# Token: mcpproxy tokens create --name ${name}`,
        variable === null
          ? '# Put it in the place of mcpp_…'
          : `# Set ${variable} to it, on the machine of the client`,
        ...reach,
        ...notes.map((note) => `# ${note}`),
        ...files.flatMap(({ file, text }) => ['', `# ${visibleLine(file)}`, text.trimEnd()]),
        '',
      ].join('\n'),
    )
    .join('\n');
}

const headOf = ({ title, verified }: Pick<ConnectPlan, 'title' | 'verified'>): string =>
  verified === null ? `${title} (${UNVERIFIED})` : title;

/** What was done, one paragraph per client. */
export function connectedText({ style, place }: Context, rows: readonly ConnectedRow[]): string {
  const { green, red } = style.colors;
  const text = rows.map((row) => {
    const mark = row.state === 'connected' ? green('connected') : red('failed');
    return [`${mark}  ${headOf(row)}`, ...linesOf(row).map((line) => `  ${line}`), ''].join('\n');
  });
  return withPlace(place, text.join(''));
}

function linesOf(row: ConnectedRow): string[] {
  const { token, proof, rules, set } = row;
  return [
    ...(row.reason === undefined ? [] : [visibleLine(row.reason)]),
    ...(row.files ?? []).flatMap(fileLines),
    ...(token
      ? [
          `token  ${token.name}, ${token.expires_at === null ? 'never expires' : `until ${localTime(token.expires_at)}`}`,
        ]
      : []),
    ...(rules === undefined
      ? []
      : [rules === null ? `rules  ${NO_RULES}` : `rules  ${RULES} (${rules.where})`]),
    ...(proof
      ? [
          `proof  handshake with this token (${proof.protocol}), ${proof.tools.length} tools, the files read back`,
        ]
      : []),
    ...(set ? [setLine(set)] : []),
    ...takenLines(row),
    ...(row.notes ?? []).map((note) => `note   ${note}`),
    ...(row.state === 'failed' && row.files ? ['To take it back: mcpproxy disconnect ' + row.client] : []),
  ];
}

function fileLines({
  file,
  change,
  copy,
  has_token: hasToken,
}: NonNullable<ConnectedRow['files']>[number]): string[] {
  const what = { create: 'created', change: 'changed', none: 'unchanged' }[change] ?? change;
  const notes = [
    what,
    ...(copy === null ? [] : ['copy beside it']),
    ...(hasToken ? ['holds the token, readable by you only'] : []),
  ];
  return [`file   ${visibleLine(file)} (${notes.join('; ')})`];
}

function setLine({ variable, how, token }: NonNullable<ConnectedRow['set']>): string {
  return how === undefined
    ? `set    export ${variable}=${token}   (shown once; set it where the client runs)`
    : `set    ${token}   (shown once; ${how})`;
}

function takenLines({ taken }: ConnectedRow): string[] {
  if (!taken) return [];
  return [
    ...(taken.servers.length > 0
      ? [`taken  ${taken.servers.join(', ')}: behind the proxy now, and out of the file`]
      : []),
    ...taken.left.map(({ name, reason }) => `left   ${name}: ${visibleLine(reason)}`),
  ];
}
