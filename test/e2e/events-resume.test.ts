import { afterEach, expect, test } from 'vitest';
import { readEventsOf } from './event-reader.ts';
import { spawnCli } from './run-cli.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

let proxy: RunningProxy | undefined;
afterEach(async () => {
  await proxy?.dispose();
});

const add = async (description: string) => {
  const intent = { operation_type: 'write' as const };
  await proxy!.rest.request('callTool', {
    body: { name: 'tasks:add_task', tool_variant: 'call_tool_write', args: { description }, intent },
  });
};

test('events and activity watch go on where they were when the proxy is killed and started again', async () => {
  proxy = await startProxy();
  const { home, dataDir, configFile } = proxy;
  const only = ['--type', 'tool_call', '-o', 'json'];
  const watch = spawnCli(['activity', 'watch', ...only, '--config', configFile, '--data-dir', dataDir], {
    home,
  });
  let printed = '';
  watch.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const lines = () => printed.trimEnd().split('\n').filter(Boolean);
  const shown = () =>
    lines().map((line) => (JSON.parse(line) as { arguments: { description: string } }).arguments.description);
  try {
    const reader = await readEventsOf(proxy);
    // Until the command is connected; it shows what comes from then on.
    await poll(
      'the command to watch',
      () => printed,
      async () => {
        await add('warm-up');
        return lines().length > 0 ? true : undefined;
      },
    );
    await add('one');
    await poll(
      'the first event',
      () => printed,
      () => (shown().includes('one') ? true : undefined),
    );
    await poll(
      'the same at the reader',
      () => JSON.stringify(reader.told),
      () =>
        reader.told.some(({ data }) => JSON.stringify(data.record?.arguments)?.includes('"one"')) ||
        undefined,
    );
    await reader.stop();

    await add('unseen by the reader');
    await proxy.stop('SIGKILL');
    proxy = await startProxy({ home });
    await add('two');
    const again = await readEventsOf(proxy, reader.lastId());
    await add('three');
    await poll(
      'the rest at the command',
      () => printed,
      () => (shown().includes('three') ? true : undefined),
    );
    const rest = shown().slice(shown().indexOf('one'));
    expect(rest).toEqual(['one', 'unseen by the reader', 'two', 'three']);

    const records = () =>
      again.told
        .filter(({ data }) => data.phase === 'closed' && data.record!.tool_name === 'add_task')
        .map(({ data }) => data.record!.arguments);
    await poll(
      'the rest at the reader',
      () => JSON.stringify(again.told),
      () => (records().length >= 3 ? true : undefined),
    );
    expect(records()).toEqual(
      ['unseen by the reader', 'two', 'three'].map((description) => ({ description })),
    );
    await again.stop();
  } finally {
    watch.kill('SIGKILL');
  }
});
