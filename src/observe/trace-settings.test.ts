import { describe, expect, test } from 'vitest';
import { readTraceSettings } from './trace-settings.ts';

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

describe('spans are collected', () => {
  test.each([
    [{ [ENDPOINT]: 'http://c:4318' }, ['otlp'], 'http://c:4318/v1/traces'],
    [{ [ENDPOINT]: 'https://c/base/' }, ['otlp'], 'https://c/base/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/exactly' }, ['otlp'], 'http://c/exactly'],
    [{ [ENDPOINT]: 'http://a', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/x' }, ['otlp'], 'http://b/x'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, ['otlp'], 'http://localhost:4318/v1/traces'],
    [{ OTEL_TRACES_EXPORTER: 'console' }, ['console'], 'the log'],
    [{ OTEL_TRACES_EXPORTER: 'otlp, console' }, ['otlp', 'console'], 'http://localhost:4318/v1/traces'],
  ])('%j', (env, exporters, to) => {
    expect(readTraceSettings(env)).toMatchObject({ exporters, to });
    expect(readTraceSettings(env).problem).toBeUndefined();
  });

  test('a password in the address is not shown', () => {
    const { to } = readTraceSettings({ [ENDPOINT]: 'https://me:secret@c:4318?key=secret' });
    expect(to).toBe('https://c:4318/v1/traces');
  });

  test('by protobuf, unless JSON is asked for; what is for traces wins', () => {
    const protocol = (env: NodeJS.ProcessEnv) =>
      readTraceSettings({ [ENDPOINT]: 'http://c', ...env }).protocol;
    expect(protocol({})).toBe('http/protobuf');
    expect(protocol({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })).toBe('http/json');
    expect(
      protocol({
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
      }),
    ).toBe('http/protobuf');
  });

  test('with a queue that has a bound, whatever is asked for', () => {
    const queue = (size: string) =>
      readTraceSettings({ [ENDPOINT]: 'http://c', OTEL_BSP_MAX_QUEUE_SIZE: size }).maxQueue;
    expect(['10', '0', '-1', 'many', '1e12'].map(queue)).toEqual([10, 2048, 2048, 2048, 100_000]);
  });
});

describe('no spans are collected', () => {
  test.each([
    [{}],
    [{ [ENDPOINT]: '' }],
    [{ [ENDPOINT]: 'http://c', OTEL_TRACES_EXPORTER: 'none' }],
    [{ [ENDPOINT]: 'http://c', OTEL_SDK_DISABLED: 'TRUE' }],
  ])('and nothing is wrong: %j', (env) => {
    expect(readTraceSettings(env)).toMatchObject({ exporters: [] });
    expect(readTraceSettings(env).problem).toBeUndefined();
  });

  test.each([
    [{ [ENDPOINT]: 'c:4318' }, ENDPOINT],
    [{ [ENDPOINT]: 'not an address' }, ENDPOINT],
    [{ [ENDPOINT]: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL'],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER'],
  ])('and it is said why: %j', (env, names) => {
    const { exporters, problem } = readTraceSettings(env);
    expect(exporters).toEqual([]);
    expect(problem).toContain(names);
    expect(problem).not.toContain('not an address');
  });
});
