import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPython } from './parity/install-python.ts';

// The files of packaging/ and compose.yaml, each checked by the programs that will read them. A program that is not installed is named and
// makes the exit code 3; 0: all held, 1: one did not.

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CHART = join(ROOT, 'packaging/helm/mcpproxy');
/** Has the schemas of Kubernetes itself, so nothing is fetched. */
const SCHEMAS = 'kubernetes-validate==1.37.0';
/** The oldest that the chart takes, and the newest of the schemas. */
const KUBERNETES = ['1.25.0', '1.31.0', '1.37.0'];
const LIMIT_MS = 120_000;

/** What an operator may set. Each must give valid resources. */
const VALUES: Record<string, object> = {
  defaults: {},
  'one replica': { replicas: 1 },
  'everything set': {
    replicas: 3,
    image: { repository: 'registry.example.com/mcpproxy', tag: '1.2.3', pullPolicy: 'Always' },
    pullSecrets: [{ name: 'registry' }],
    config: {
      allowed_hosts: ['mcp.example.com'],
      mcpServers: { notes: { url: 'https://notes.example.com/mcp' } },
    },
    env: [{ name: 'NOTES_KEY', valueFrom: { secretKeyRef: { name: 'notes', key: 'key' } } }],
    service: { type: 'LoadBalancer', port: 80 },
    volume: { size: '5Gi', storageClass: 'fast' },
    drainDelay: 10,
    terminationGracePeriod: 60,
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  },
};
/** What the schema of the values refuses. */
const REFUSED: Record<string, object> = {
  'no replica': { replicas: 0 },
  'a misspelt value': { replica: 2 },
};

interface Outcome {
  ok: boolean;
  said: string;
}

function run(program: string, args: readonly string[]): Outcome | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  if (error && 'code' in error && error.code === 'ENOENT') return undefined;
  return { ok: status === 0, said: (stdout + stderr).trim() };
}

let code = 0;
function tell(what: string, outcome: Outcome | undefined, why = 'it is not installed'): void {
  if (!outcome) {
    console.log(`${what}: NOT CHECKED, ${why}`);
    code ||= 3;
  } else if (outcome.ok) console.log(`${what}: held`);
  else {
    console.log(`${what}: NOT HELD\n${outcome.said}`);
    code = 1;
  }
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-packaging-'));
function render(values: object, kubernetes: string): Outcome | undefined {
  const file = join(dir, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return run('helm', ['template', 'check', CHART, '--kube-version', kubernetes, '--values', file]);
}

async function checkChart(): Promise<void> {
  const linted = run('helm', ['lint', '--strict', CHART]);
  tell('helm lint', linted);
  if (!linted) return;
  const python = await installPython([SCHEMAS]).catch(() => undefined);
  if (python === undefined) tell('the schemas of Kubernetes', undefined, `${SCHEMAS} cannot be installed`);
  for (const [name, values] of Object.entries(VALUES))
    for (const version of KUBERNETES) {
      const what = `helm template, ${name}, Kubernetes ${version}`;
      const rendered = render(values, version)!;
      if (!rendered.ok || python === undefined) tell(what, rendered);
      else tell(what, validated(rendered.said, python, version));
    }
  for (const [name, values] of Object.entries(REFUSED)) {
    const { ok, said } = render(values, KUBERNETES.at(-1)!)!;
    tell(`the values are refused: ${name}`, { ok: !ok && said.includes('values don'), said });
  }
}

function validated(resources: string, python: string, version: string): Outcome {
  const file = join(dir, 'resources.yaml');
  writeFileSync(file, resources);
  const validate = join(dirname(python), 'kubernetes-validate');
  return run(validate, ['--strict', '--quiet', '-k', version, file])!;
}

const checkCompose = (file: string) =>
  run('docker', ['compose', '-f', join(ROOT, file), 'config', '--quiet']);

const isMissing = (outcome: Outcome | undefined) =>
  outcome && /unknown command|is not a docker command|unknown shorthand/.test(outcome.said)
    ? undefined
    : outcome;

/** HAProxy and nginx read their files as they are; the others of packaging/balancers are started by scripts/balancers.ts. */
function nginxWhole(): string {
  const text = readFileSync(join(ROOT, 'packaging/balancers/nginx.conf'), 'utf8');
  const file = join(dir, 'nginx.conf');
  writeFileSync(file, `pid ${dir}/pid; error_log stderr; events {} http { access_log off;\n${text}\n}`);
  return file;
}

try {
  await checkChart();
  const monitoring = join(ROOT, 'packaging/monitoring');
  tell('promtool check rules', run('promtool', ['check', 'rules', join(monitoring, 'alerts.yaml')]));
  tell('promtool test rules', run('promtool', ['test', 'rules', join(monitoring, 'alerts.test.yaml')]));
  tell('haproxy -c', run('haproxy', ['-c', '-f', join(ROOT, 'packaging/balancers/haproxy.cfg')]));
  tell('nginx -t', run('nginx', ['-t', '-c', nginxWhole()]));
  for (const file of ['packaging/balancers/Caddyfile', 'packaging/compose/Caddyfile'])
    tell(
      `caddy validate ${file}`,
      run('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, file)]),
    );
  for (const file of ['compose.yaml', 'packaging/compose/compose.yaml'])
    tell(`docker compose config ${file}`, isMissing(checkCompose(file)));
  tell('hadolint Dockerfile', run('hadolint', [join(ROOT, 'Dockerfile')]));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
process.exit(code);
