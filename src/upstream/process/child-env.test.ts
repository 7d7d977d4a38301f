import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Config } from '../../contract/config.ts';
import { childEnv, INHERITED } from './child-env.ts';

describe('environment of a server', () => {
  test('passes on what is harmless and nothing else', () => {
    const own = {
      PATH: '/bin',
      HOME: '/h',
      LC_ALL: 'C',
      XDG_DATA_HOME: '/x',
      AWS_SECRET_ACCESS_KEY: 's',
      SHELL: '() { :; }; evil',
      SystemRoot: 'C:\\',
    };
    expect(childEnv({ configured: {}, marker: 'm', own })).toEqual({
      PATH: '/bin',
      HOME: '/h',
      LC_ALL: 'C',
      XDG_DATA_HOME: '/x',
      SystemRoot: 'C:\\',
      MCPPROXY_UPSTREAM: 'm',
    });
  });

  const NETWORK = `SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy`.split(/\s+/);
  test.each(NETWORK)('passes on %s, which a company network needs', (name) => {
    expect(childEnv({ configured: {}, marker: 'm', own: { [name]: 'x' } })[name]).toBe('x');
  });

  test('passes on the address of a package registry, without a password in it', () => {
    const own = {
      npm_config_registry: 'https://npm.example.com/',
      PIP_INDEX_URL: 'https://me:secret@pypi.example.com/simple',
    };
    expect(childEnv({ configured: {}, marker: 'm', own })).toEqual({
      npm_config_registry: 'https://npm.example.com/',
      MCPPROXY_UPSTREAM: 'm',
    });
  });

  test('is documented', () => {
    const page = readFileSync(new URL('../../../docs/guides/servers.md', import.meta.url), 'utf8');
    const names = Object.values(INHERITED).flatMap((group) => [...group]);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('passes on what inherit_env names, and only that', () => {
    const own = { JAVA_HOME: '/jdk', DOCKER_HOST: 'unix:///d', OTHER: 'x' };
    expect(childEnv({ configured: {}, marker: 'm', inherit: ['JAVA_HOME', 'docker_host'], own })).toEqual({
      JAVA_HOME: '/jdk',
      DOCKER_HOST: 'unix:///d',
      MCPPROXY_UPSTREAM: 'm',
    });
  });

  test.each(['NODE_OPTIONS', 'LD_PRELOAD', 'MCPPROXY_API_KEY', 'A B'])(
    'inherit_env does not accept %s',
    (name) => {
      expect(Config.safeParse({ inherit_env: [name] }).success).toBe(false);
    },
  );

  test('what is configured comes on top', () => {
    expect(
      childEnv({ configured: { PATH: '/mine', TOKEN: 't' }, marker: 'm', own: { PATH: '/bin' } }),
    ).toMatchObject({
      PATH: '/mine',
      TOKEN: 't',
    });
  });

  const DANGEROUS =
    `LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS PYTHONPATH PYTHONSTARTUP BASH_ENV ENV
    PERL5OPT RUBYOPT GIT_SSH_COMMAND node_options BASH_FUNC_x MCPPROXY_UPSTREAM`.split(/\s+/);
  test.each(DANGEROUS.concat('A B', '', 'A=B'))('refuses %j', (name) => {
    expect(() => childEnv({ configured: { [name]: 'x' }, marker: 'm', own: {} })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  test('refuses a NUL in a value', () => {
    expect(() => childEnv({ configured: { A: 'x\0y' }, marker: 'm', own: {} })).toThrow(/NUL/);
  });
});
