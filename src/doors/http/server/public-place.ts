/** Where browsers and clients reach the proxy through a reverse proxy, read from `public_url`. */
export interface PublicPlace {
  /** As a Host header names it. */
  host: string;
  /** Without a slash at its end: '' or '/tools'. */
  path: string;
  isSecure: boolean;
  /** Also where the scheme implies it. */
  port: string;
}

export function readPublicPlace(url: string): PublicPlace {
  const { host, pathname, protocol, port } = new URL(url);
  const isSecure = protocol === 'https:';
  return { host, path: pathname.replace(/\/+$/, ''), isSecure, port: port || (isSecure ? '443' : '80') };
}

/**
 * The address of a request without the public path at its front, which a reverse proxy may take away or leave. The path alone stays as it
 * is: it is answered with a redirect, because the files of the page are found relative to it.
 */
export function withoutPath(url: string, { path }: PublicPlace): string {
  return path !== '' && url.startsWith(`${path}/`) ? url.slice(path.length) : url;
}

/** Whether an address is the public path alone. */
export const isPathAlone = (url: string, { path }: PublicPlace): boolean =>
  path !== '' && (url === path || url.startsWith(`${path}?`));
