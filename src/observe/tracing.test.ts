import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { expect, test } from 'vitest';
import { openTracing } from './tracing.ts';

function start(env: NodeJS.ProcessEnv) {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  return { lines, tracing: openTracing({ env, version: '1.2.3', log }) };
}

test('without the variables nothing is collected', async () => {
  const { lines, tracing } = start({ PATH: '/bin' });
  const started = await tracing;
  expect([started.tracer, lines]).toEqual([undefined, []]);
  expect(started.state()).toEqual({ exporting: false, exported: 0, dropped: 0, failed: 0 });
  await started.close();
});

test('a variable that cannot be meant is told, and the proxy goes on', async () => {
  const { lines, tracing } = start({ OTEL_TRACES_EXPORTER: 'zipkin' });
  const started = await tracing;
  expect(started.tracer).toBeUndefined();
  expect(started.state().problem).toContain('OTEL_TRACES_EXPORTER');
  expect(lines.join('')).toContain('no spans are collected: OTEL_TRACES_EXPORTER');
});

test('with them spans are collected; what waits is given away when it ends', async () => {
  const { lines, tracing } = start({ OTEL_TRACES_EXPORTER: 'console' });
  const started = await tracing;
  started.tracer!.begin('one', 'server').end();
  expect(started.state()).toMatchObject({ exporting: true, to: 'the log', exported: 0 });
  await started.close();
  expect(started.state().exported).toBe(1);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ msg: 'span', name: 'one' });
});

test('what collects them is loaded where they are asked for, and only there', () => {
  // In a process of its own: in this one another test may have loaded it.
  const script = `
    import { createRequire } from 'node:module';
    import pino from 'pino';
    import { openTracing } from './src/observe/tracing.ts';
    const { cache } = createRequire(import.meta.url);
    const isLoaded = () => Object.keys(cache).some((path) => path.includes('@opentelemetry/sdk-trace'));
    const log = pino({ level: 'silent' });
    const loaded = [];
    for (const env of [{ PATH: '/bin' }, { OTEL_TRACES_EXPORTER: 'zipkin' }, { OTEL_TRACES_EXPORTER: 'console' }]) {
      const tracing = await openTracing({ env, version: '1.2.3', log });
      loaded.push(isLoaded());
      await tracing.close();
    }
    console.log(JSON.stringify(loaded));`;
  const said = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    timeout: 280_000,
  });
  expect(JSON.parse(said)).toEqual([false, false, true]);
});
