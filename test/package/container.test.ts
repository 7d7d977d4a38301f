import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { databaseOf } from '../../src/config/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
const steps = (name: string) =>
  [...dockerfile.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, rest]) => rest!);
const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };

describe('Dockerfile', () => {
  const copied = steps('COPY')
    .filter((rest) => !rest.startsWith('--from'))
    .flatMap((rest) => rest.trim().split(/\s+/).slice(0, -1));

  test('runs a Node.js that the package allows, the same in both stages', () => {
    const [, version] = /^ARG NODE_VERSION=(\d+)$/m.exec(dockerfile)!;
    expect(Number(version)).toBeGreaterThanOrEqual(Number(/>=(\d+)\./.exec(engines.node)![1]));
    expect(steps('FROM').map((rest) => rest.split(' ')[0])).toEqual([
      'node:${NODE_VERSION}-bookworm-slim',
      'node:${NODE_VERSION}-bookworm-slim',
    ]);
  });

  test('copies files that exist, and .dockerignore lets through those alone', () => {
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const lines = read('.dockerignore').split('\n');
    expect(lines.find((line) => line && !line.startsWith('#'))).toBe('*');
    const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(allowed.sort()).toEqual([...new Set(copied)].sort());
  });

  test('runs without rights, with data in a volume and a check of its health', () => {
    expect(steps('USER')).toEqual(['1000']);
    expect(steps('VOLUME')).toEqual(['/data']);
    expect(dockerfile).toContain('MCPPROXY_DATA_DIR=/data');
    expect(steps('HEALTHCHECK')[0]).toContain('/healthz');
    expect(dockerfile).toContain('npm ci --ignore-scripts');
  });
});

describe('compose.yaml', () => {
  const { services, secrets } = parse(read('compose.yaml')) as {
    services: Record<'proxy' | 'database', Record<string, unknown> & { environment: Record<string, string> }>;
    secrets: Record<string, { file: string }>;
  };

  test('the proxy has a read-only root, no capability, and a port for this machine alone', () => {
    expect(services.proxy).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      ports: ['127.0.0.1:8080:8080'],
      volumes: ['data:/data'],
    });
    expect(services.database).not.toHaveProperty('ports');
  });

  test('the password is in a file, and the proxy reads it from there', () => {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-compose-'));
    try {
      const file = join(dir, 'password');
      writeFileSync(file, 'p@ss/word\n');
      const url = services.proxy.environment
        .MCPPROXY_DATABASE_URL!.replace('$$', '$')
        .replace('/run/secrets/database_password', file);
      expect(databaseOf({ database_url: url }, dir)).toEqual({
        url: 'postgres://mcpproxy:p%40ss%2Fword@database:5432/mcpproxy',
      });
    } finally {
      rmSync(dir, { recursive: true });
    }
    expect(services.database.environment.POSTGRES_PASSWORD_FILE).toBe('/run/secrets/database_password');
    expect(secrets.database_password!.file).toBe('./database_password');
    expect(read('.gitignore')).toContain('database_password');
  });
});

describe('packages of other systems', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { version: string; integrity: string; dev?: boolean }>;
  };

  test('the Nix flake has this version, and every dependency with the hash of the lock file', () => {
    const flake = read('packaging/nix/flake.nix');
    expect(flake).toContain(`version = "${version}";`);
    const needed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    expect(needed.length).toBeGreaterThan(0);
    for (const [path, entry] of needed) {
      expect(flake).toContain(`-${entry.version}" "${entry.integrity}"`);
      expect(flake).toContain(`$out/lib/mcpproxy/${path}`);
    }
  });

  test('the Helm chart has this version', () => {
    expect(parse(read('packaging/helm/mcpproxy/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  test('the Homebrew formula has this version', () => {
    expect(read('packaging/homebrew/mcpproxy.rb')).toContain(`/mcpproxy-${version}.tgz"`);
  });
});
