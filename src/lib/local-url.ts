/** Where this machine reaches a proxy that listens at every address: as a Host, such an address is refused. */
export function localUrl(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\]|::)(?=:\d+$|$)/, 'http://127.0.0.1');
}
