const SCHEME = 'mcpproxy://';

/**
 * The URI of a resource through the proxy: `mcpproxy://SERVER/` and then the URI as the server wrote it. Nothing is encoded, so that the
 * expressions of a URI template stay in place, and their expansion leads back to the URI that the server expects.
 */
export function proxiedUri(server: string, uri: string): string {
  return `${SCHEME}${server}/${uri}`;
}

/** Server and original URI of a proxied URI; undefined for every other text. */
export function readProxiedUri(text: string): { server: string; uri: string } | undefined {
  if (!text.startsWith(SCHEME)) return undefined;
  const slash = text.indexOf('/', SCHEME.length);
  if (slash <= SCHEME.length || slash === text.length - 1) return undefined;
  return { server: text.slice(SCHEME.length, slash), uri: text.slice(slash + 1) };
}
