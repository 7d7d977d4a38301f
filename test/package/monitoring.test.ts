import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ERRORS } from '../../src/contract/errors.ts';
import { startHere } from '../e2e/start-here.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}
const { groups } = parse(read('packaging/monitoring/alerts.yaml')) as { groups: Array<{ rules: Rule[] }> };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('packaging/monitoring/grafana-dashboard.json')) as {
  panels: Array<{ title: string; targets: Array<{ expr: string }> }>;
};
const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

let proxy: RunningProxy;
let scrape: string;
beforeAll(async () => {
  proxy = await startHere({ config: { mcpServers: { up: fixture('annotated.mjs') } } });
  const answer = await fetch(`${proxy.url}/metrics`, { headers: { 'x-api-key': proxy.key } });
  scrape = await answer.text();
});
afterAll(() => proxy?.dispose());

test('alerts and dashboard use only metrics that a scrape has', () => {
  const types = [...scrape.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const scraped = types.flatMap(([, name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  const used = [...rules.map(({ expr }) => expr), ...shown].flatMap(
    (expr) => expr.match(/mcpproxy_\w+/g) ?? [],
  );
  expect(used.length).toBeGreaterThan(rules.length);
  expect(used.filter((name) => !scraped.includes(name))).toEqual([]);
});

test('states and error codes in alerts exist', () => {
  const values = (label: string) =>
    rules.flatMap(({ expr }) =>
      [...expr.matchAll(new RegExp(`\\b${label}=~?"([^"]+)"`, 'g'))].flatMap(([, value]) =>
        value!.split('|'),
      ),
    );
  expect(values('code').length).toBeGreaterThan(0);
  expect(values('code').filter((code) => !(code in ERRORS))).toEqual([]);
  expect(values('state').length).toBeGreaterThan(0);
  expect(
    values('state').filter((state) => !scrape.includes(`server_state{server="up",state="${state}"}`)),
  ).toEqual([]);
});

test('each alert has its section in the runbook, and each section its alert', () => {
  const sections = [...read('docs/guides/runbook.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name!);
  expect(sections).toEqual(rules.map(({ alert }) => alert));
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    sections.map((name) => `docs/guides/runbook.md#${name.toLowerCase()}`),
  );
});
