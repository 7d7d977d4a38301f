import type { Json } from '../../test/fixtures/mcp-harness.ts';
import type { ListName, ParityClient } from './clients.ts';
import type { ParityServer } from './servers.ts';

/** By kind, everything that the client gets from the server. */
export type Measured = Readonly<Record<string, readonly unknown[]>>;

/** Everything that the server has, without the names of the proxy. `of`: the server behind it; empty: directly. */
export async function measure(client: ParityClient, server: ParityServer, of: string): Promise<Measured> {
  const some = <T>(all: readonly T[]) => all.slice(0, client.most);
  const [tool, prompt, uri] = of === '' ? ['', '', ''] : [`${of}__`, `${of}:`, `mcpproxy://${of}/`];
  const list = async (name: ListName, key: string, prefix: string): Promise<Json[]> => {
    const own = (await client.list(name)).filter((each) => each[key].startsWith(prefix));
    // The proxy adds its own `_meta`, makes annotations of tools from its own verdict, and can run each as a task.
    const plain = own.map(({ _meta, annotations, execution: _execution, ...rest }: Json): Json => ({
      ...rest,
      ...(name !== 'tools' && annotations && { annotations }),
      [key]: rest[key].slice(prefix.length),
    }));
    // The proxy lists in an order of its own.
    return plain.toSorted((one, other) => (one[key] < other[key] ? -1 : 1));
  };
  const resources = await list('resources', 'uri', uri);
  const uris = [...(server.expanded ?? []), ...resources.map((each) => each.uri as string)];
  const called = async ([name, args]: readonly [string, Json]) => {
    const { content, structuredContent: structured, isError } = await client.call(tool + name, args);
    return timeless({ content, structured, isError: isError === true });
  };
  return {
    'tools listed': await list('tools', 'name', tool),
    'prompts listed': await list('prompts', 'name', prompt),
    'resources listed': resources,
    'templates listed': await list('resourceTemplates', 'uriTemplate', uri),
    'tools called': await inOrder(some(server.calls ?? []), called),
    'prompts got': await inOrder(some(Object.entries(server.prompts ?? {})), async ([name, args]) =>
      timeless((await client.prompt(prompt + name, args)).messages),
    ),
    'resources read': await inOrder(some(uris), async (each) =>
      timeless((await client.read(uri + each)).contents),
    ),
    'arguments completed': client.complete
      ? await inOrder(server.completions ?? [], (each) =>
          client.complete!(prompt + each.prompt, each.argument),
        )
      : [],
  };
}

/** Dynamic resources say when they were made. */
function timeless(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, field: unknown) => {
      if (typeof field !== 'string') return field;
      const text = key === 'blob' ? Buffer.from(field, 'base64').toString('latin1') : field;
      return text.replace(/\d+:\d+:\d+ [AP]M/, 'TIME');
    }),
  );
}

async function inOrder<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}
