import { ProxyError } from '../../contract/errors.ts';

/** What database_url says, beside what the library reads itself. */
export interface Address {
  /** One URL for each host, in their order. */
  pooled: readonly string[];
  /** The same for connections that need a session of their own: those of `direct`, where a pooler stands before the server. */
  direct: readonly string[];
  hasDirect: boolean;
  /** Whether a server that takes no writes is passed over. */
  mustWrite: boolean;
}

const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/;
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const SSL_PARAMETERS = ['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation'];
const SESSION_ATTRS = ['any', 'read-write', 'primary'];

/** Throws where a part of it would be ignored, or would mean less than it says. */
export function parseAddress(url: string): Address {
  const [, scheme, user, hosts, path, query = ''] = PARTS.exec(url) ?? [];
  if (scheme === undefined)
    throw invalid('it is not postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters encoded');
  const given = new URLSearchParams(query);
  checkSsl(given);
  const attrs = given.get('target_session_attrs');
  if (attrs !== null && !SESSION_ATTRS.includes(attrs))
    throw invalid(
      `target_session_attrs must be ${SESSION_ATTRS.join(', ')}, and not "${attrs}": the proxy writes to the server`,
    );
  const direct = given.get('direct');
  for (const own of ['direct', 'target_session_attrs']) given.delete(own);
  const rest = given.size > 0 ? `${path}?${given.toString()}` : path!;
  const urlsOf = (names: string) => names.split(',').map((host) => checked(`${scheme}${user}${host}${rest}`));
  const pooled = urlsOf(hosts!);
  return {
    pooled,
    direct: direct === null ? pooled : urlsOf(direct),
    hasDirect: direct !== null,
    mustWrite: attrs !== 'any',
  };
}

function checkSsl(given: URLSearchParams): void {
  for (const name of given.keys())
    if (/^ssl/i.test(name) && !SSL_PARAMETERS.includes(name))
      throw invalid(`"${name}" is not known; the parameters of encryption are ${SSL_PARAMETERS.join(', ')}`);
  const mode = given.get('sslmode');
  if (mode === null) return;
  if (!SSL_MODES.includes(mode))
    throw invalid(
      `sslmode must be ${SSL_MODES.join(', ')}, and not "${mode}": it would not say whether the connection is encrypted`,
    );
  // They have always checked the certificate and its name here.
  if (mode === 'require' || mode === 'verify-ca') given.set('sslmode', 'verify-full');
}

function checked(url: string): string {
  if (URL.canParse(url)) return url;
  throw invalid('a host or port in it is not valid; write several as HOST:PORT,HOST:PORT');
}

function invalid(why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `database_url cannot be used: ${why}`);
}
