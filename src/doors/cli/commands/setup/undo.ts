import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { print, withPlace, withProxy, type Context, type Reached } from '../../context.ts';
import type { Disconnected } from '../../client-runtime.ts';
import type { SetupState } from '../../runtime.ts';
import { disconnectClients } from '../connect/disconnect.ts';
import { policyBody } from './policy-step.ts';

interface Undone {
  /** What was taken back. */
  lines: string[];
  /** What stays, with the reason. */
  remains: string[];
}

/** Takes back what setup did: connections, servers, their secrets, policy, and the proxy that it started. What a person did meanwhile stays. */
export async function undoSetup(context: Context): Promise<number> {
  const { runtime, place } = context;
  const state = await runtime.setup.read(place);
  const undone: Undone = { lines: [], remains: [] };
  await withProxy(context, 'daemon-or-offline', async (reached) => {
    const isWhole = await undoClients(context, reached, { state, undone });
    await undoServers(context, reached, { state, undone, isWhole });
    if (state.policy) {
      const body = policyBody(state.policy, await runtime.setup.fileSettings(place));
      await reached.request('updateConfig', { body });
      undone.lines.push('policy        as before');
    }
  });
  await undoProxy(context, state, undone);
  await runtime.setup.write(place, undefined);
  const { data_dir: dataDir } = await runtime.config.paths(place);
  undone.remains.push(`${dataDir}: the activity log, the keys and the configuration`);
  await print(context, { undone: state, remains: undone.remains }, () => withPlace(place, textOf(undone)));
  return EXIT.ok;
}

interface Part {
  state: SetupState;
  undone: Undone;
}

/** Whether every file of the clients is without our parts. */
async function undoClients(context: Context, reached: Reached, { state, undone }: Part): Promise<boolean> {
  const connected = (await context.runtime.clients.status(context.place)).filter(
    ({ scope }) => scope === 'user',
  );
  const names = state.clients.filter((client) => connected.some((each) => each.client === client));
  let isWhole = true;
  for (const name of names) {
    const [done] = await disconnectClients(context, reached, [{ client: name, scope: 'user' }]);
    undone.lines.push(`disconnected  ${done!.connection.title}`);
    undone.remains.push(...remainsOf(done!));
    isWhole &&= done!.files.every(({ change }) => change !== 'left');
  }
  return isWhole;
}

function remainsOf({ files }: Disconnected): string[] {
  return files.flatMap(({ file, change, reason, copy }) => [
    ...(change === 'left' ? [visibleLine(`${file}: ${reason}`)] : []),
    ...(copy === undefined ? [] : [visibleLine(`${copy}: the file as it was; it was edited since`)]),
  ]);
}

async function undoServers(
  { runtime, place }: Context,
  reached: Reached,
  { state, undone, isWhole }: Part & { isWhole: boolean },
): Promise<void> {
  const secrets = await runtime.setup.secretFiles(place, state.servers);
  for (const name of state.servers)
    if (await removeServer(reached, name)) undone.lines.push(`removed       ${visibleLine(name)}`);
  // A client file that could not be restored may be without these values.
  const kept = isWhole ? await runtime.setup.removeSecrets(place, secrets) : secrets;
  if (secrets.length > kept.length)
    undone.lines.push(
      `removed       ${secrets.length - kept.length} of ${counted(secrets.length, 'file')} with imported secrets`,
    );
  const why = isWhole
    ? 'a server still uses it'
    : 'a file above could not be restored, and may need its value';
  undone.remains.push(...kept.map((file) => visibleLine(`${file}: ${why}`)));
}

async function undoProxy(context: Context, { started }: SetupState, undone: Undone): Promise<void> {
  const { runtime, place } = context;
  if (place.url !== undefined) return;
  const others = await runtime.clients.status(place);
  if (started && others.length === 0) {
    const stopped = await runtime.stop(place);
    if (stopped) undone.lines.push(`stopped       the proxy (process ${stopped.pid})`);
    return;
  }
  const running = await isRunning(context);
  if (!running) return;
  const why = started
    ? `${others.map(({ title }) => title).join(', ')} still uses it`
    : 'setup did not start it';
  undone.remains.push(`the proxy at ${running}: ${why}. To stop it: mcpproxy stop`);
}

async function isRunning(context: Context): Promise<string | undefined> {
  try {
    return (await withProxy(context, 'daemon', ({ request }) => request('status', {}))).listen ?? undefined;
  } catch (error) {
    if (error instanceof ProxyError && error.code === 'NO_DAEMON') return undefined;
    throw error;
  }
}

function textOf({ lines, remains }: Undone): string {
  return [
    ...(lines.length === 0 ? ['Nothing to undo.'] : lines),
    ...remains.map((each) => `remains       ${each}`),
    '',
  ].join('\n');
}

async function removeServer({ request }: Reached, name: string): Promise<boolean> {
  try {
    await request('removeServer', { name });
    return true;
  } catch (error) {
    if (error instanceof ProxyError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
