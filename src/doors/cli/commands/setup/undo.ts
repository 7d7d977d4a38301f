import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { disconnectClients } from '../connect/disconnect.ts';

/** Takes back what setup did: connections, servers and policy. What a person did meanwhile stays. */
export async function undoSetup(context: Context): Promise<number> {
  const { runtime, place } = context;
  const state = await runtime.setup.read(place);
  const undone = await withProxy(context, 'daemon-or-offline', async (reached) => {
    const lines: string[] = [];
    const connected = (await runtime.clients.status(place)).filter(({ scope }) => scope === 'user');
    const names = state.clients.filter((client) => connected.some((each) => each.client === client));
    for (const name of names) {
      const [done] = await disconnectClients(context, reached, { names: [name], scope: 'user' });
      const left = done!.files.filter(({ change }) => change === 'left');
      lines.push(
        `disconnected  ${done!.connection.title}`,
        ...left.map(({ file, reason }) => `  left: ${visibleLine(`${file}: ${reason}`)}`),
      );
    }
    for (const name of state.servers)
      if (await removeServer(reached, name)) lines.push(`removed       ${visibleLine(name)}`);
    if (state.policy) {
      const { require, unannotated } = state.policy;
      await reached.request('updateConfig', {
        body: { approvals: { require }, intent_declaration: { unannotated } },
      });
      lines.push('policy        as before');
    }
    return lines;
  });
  await runtime.setup.write(place, undefined);
  await print(context, { undone: state }, () =>
    undone.length === 0 ? 'Nothing to undo.\n' : `${undone.join('\n')}\n`,
  );
  hint(
    context,
    'The proxy still runs, if it did: end it with Ctrl-C where it was started, or by its process id, which "mcpproxy status" shows.',
  );
  return EXIT.ok;
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
