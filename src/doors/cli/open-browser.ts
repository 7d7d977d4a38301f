import { spawn } from 'node:child_process';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address is one that a browser may be sent to: a page, not a program or a file. */
export function isPage(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** Opens a page in the browser of the person, if there is one. The address is one argument, so that no shell reads it. */
export function openBrowser(page: string, platform: NodeJS.Platform = process.platform): void {
  if (!isPage(page)) return;
  const [program, ...args] = openerFor(platform);
  const child = spawn(program!, [...args, new URL(page).href], { stdio: 'ignore', detached: true });
  // Without a browser the person opens the printed address.
  child.on('error', () => undefined);
  child.unref();
}

function openerFor(platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
