import type { Context, Reached } from '../../context.ts';
import { openBrowser } from '../../open-browser.ts';
import type { StepDone } from './step.ts';

/** On a terminal, opens the web UI. Everybody who has the link can log in with it, so it is not made for a file or a pipe. */
export async function browserStep({ io }: Context, { request }: Reached): Promise<StepDone> {
  if (!io.terminal.in || !io.terminal.err)
    return { step: 'Browser', lines: ['for a link to the web UI: mcpproxy open'], result: null };
  const { url } = await request('createLoginLink', {});
  openBrowser(url);
  return { step: 'Browser', lines: [`${url}   (works once, within ten minutes)`], result: null };
}
