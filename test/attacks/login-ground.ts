import { redirectOf } from '../e2e/headless-browser.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';

export interface RestAnswer {
  status: number;
  text: string;
}

export async function operate(
  { url, key }: RunningProxy,
  [method, path]: [string, string],
  body?: unknown,
): Promise<RestAnswer> {
  const response = await fetch(`${url}/api/v1/servers${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

export async function untilState(proxy: RunningProxy, server: string, state: string): Promise<void> {
  await poll(`${server} to be ${state}`, proxy.stderr, async () => {
    const { text } = await operate(proxy, ['GET', `/${server}`]);
    return (JSON.parse(text) as { state: string }).state === state || undefined;
  });
}

/** An operator without a browser. */
export async function logIn(proxy: RunningProxy, server: string): Promise<void> {
  await untilState(proxy, server, 'needs_login');
  const { text } = await operate(proxy, ['POST', `/${server}/login`], {});
  const { authorization_url: page } = JSON.parse(text) as { authorization_url: string };
  await operate(proxy, ['POST', `/${server}/login/complete`], { redirect: await redirectOf(page) });
  await untilState(proxy, server, 'ready');
}
