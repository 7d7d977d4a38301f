import { createRequire } from 'node:module';
import pino from 'pino';
import { expect, test } from 'vitest';
import { openTracing } from './tracing.ts';

const { cache } = createRequire(import.meta.url);
const isLoaded = () => Object.keys(cache).some((path) => path.includes('@opentelemetry/sdk-trace'));

function start(env: NodeJS.ProcessEnv) {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  return { lines, tracing: openTracing({ env, version: '1.2.3', log }) };
}

test('without the variables nothing is collected, and nothing is loaded', async () => {
  const { lines, tracing } = start({ PATH: '/bin' });
  const started = await tracing;
  expect([started.tracer, lines, isLoaded()]).toEqual([undefined, [], false]);
  expect(started.state()).toEqual({ exporting: false, exported: 0, dropped: 0, failed: 0 });
  await started.close();
});

test('a variable that cannot be meant is told, and the proxy goes on', async () => {
  const { lines, tracing } = start({ OTEL_TRACES_EXPORTER: 'zipkin' });
  const started = await tracing;
  expect([started.tracer, isLoaded()]).toEqual([undefined, false]);
  expect(started.state().problem).toContain('OTEL_TRACES_EXPORTER');
  expect(lines.join('')).toContain('no spans are collected: OTEL_TRACES_EXPORTER');
});

test('with them spans are collected; what waits is given away when it ends', async () => {
  const { lines, tracing } = start({ OTEL_TRACES_EXPORTER: 'console' });
  const started = await tracing;
  expect(isLoaded()).toBe(true);
  started.tracer!.begin('one', 'server').end();
  expect(started.state()).toMatchObject({ exporting: true, to: 'the log', exported: 0 });
  await started.close();
  expect(started.state().exported).toBe(1);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ msg: 'span', name: 'one' });
});
