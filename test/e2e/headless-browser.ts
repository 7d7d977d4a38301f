/** Opens a page as a browser would, with its cookies, and follows where it is sent, until `stopAt` or a page that sends nobody anywhere. */
export async function browse(start: string, stopAt?: string): Promise<{ url: string; response?: Response }> {
  const jars = new Map<string, Map<string, string>>();
  let url = start;
  for (let step = 0; step < 20; step++) {
    if (stopAt !== undefined && url.startsWith(stopAt)) return { url };
    const jar = jarOf(jars, url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    const location = response.headers.get('location');
    if (location === null) return { url, response };
    await response.body?.cancel();
    url = new URL(location, url).href;
  }
  throw new Error(`sent around in circles from ${start}`);
}

/** What a headless operator copies from the address bar: where the log-in ends, not yet opened. */
export async function redirectOf(authorizationUrl: string): Promise<string> {
  const target = new URL(authorizationUrl).searchParams.get('redirect_uri');
  const { url, response } = await browse(authorizationUrl, target!);
  if (response) throw new Error(`the log-in ended at ${url}: ${response.status} ${await response.text()}`);
  return url;
}

function jarOf(jars: Map<string, Map<string, string>>, url: string): Map<string, string> {
  const { host } = new URL(url);
  const jar = jars.get(host) ?? new Map<string, string>();
  jars.set(host, jar);
  return jar;
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const [name = '', ...value] = pair.split('=');
  if (value.join('=') === '') jar.delete(name);
  else jar.set(name, value.join('='));
}
