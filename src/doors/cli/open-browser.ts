import { spawn } from 'node:child_process';
import { isLoginPage } from '../../contract/oauth.ts';

/** Opens a page in the browser of the person, if there is one. The address is one argument, so that no shell reads it. */
export function openBrowser(page: string, platform: NodeJS.Platform = process.platform): void {
  if (!isLoginPage(page)) return;
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
