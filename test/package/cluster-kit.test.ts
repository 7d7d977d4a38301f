import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/parse.ts';

const PACKAGING = fileURLToPath(new URL('../../packaging/', import.meta.url));
const read = (name: string) => readFileSync(join(PACKAGING, name), 'utf8');

interface Service {
  volumes: string[];
  environment: Record<string, string>;
  secrets: string[];
  ports?: string[];
}
const compose = parse(read('compose/compose.yaml'), { merge: true }) as {
  services: Record<'one' | 'two' | 'balancer' | 'database', Service>;
  secrets: Record<string, { file: string }>;
};
const { one, two, balancer, database } = compose.services;

test('compose: two confined proxies differ in their data directory alone', () => {
  for (const proxy of [one, two]) {
    expect(proxy).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      secrets: ['database_password', 'row_key', 'api_key'],
    });
  }
  expect({ ...one, volumes: [] }).toEqual({ ...two, volumes: [] });
  expect(one.volumes[0]).toBe('one:/data');
  expect(two.volumes[0]).toBe('two:/data');
});

test('compose: only Caddy has a port, for this machine alone, and it names both proxies', () => {
  expect(balancer.ports).toEqual(['127.0.0.1:8080:8080']);
  expect([one, two, database].map(({ ports }) => ports)).toEqual([undefined, undefined, undefined]);
  expect(read('compose/Caddyfile')).toContain('reverse_proxy one:8080 two:8080 {');
});

test('compose: every secret is a file that Git ignores', () => {
  const files = Object.values(compose.secrets).map(({ file }) => file.replace('./', ''));
  expect(read('compose/.gitignore').trim().split('\n').sort()).toEqual(files.sort());
});

test('the configuration of the example is valid', () => {
  expect(() => parseConfig(read('compose/mcp_config.json'), 'mcp_config.json')).not.toThrow();
});
