import { describe, expect, test } from 'vitest';
import { childEnv } from './child-env.ts';

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
    expect(childEnv({}, 'm', own)).toEqual({
      PATH: '/bin',
      HOME: '/h',
      LC_ALL: 'C',
      XDG_DATA_HOME: '/x',
      SystemRoot: 'C:\\',
      MCPPROXY_UPSTREAM: 'm',
    });
  });

  test('what is configured comes on top', () => {
    expect(childEnv({ PATH: '/mine', TOKEN: 't' }, 'm', { PATH: '/bin' })).toMatchObject({
      PATH: '/mine',
      TOKEN: 't',
    });
  });

  const DANGEROUS =
    `LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS PYTHONPATH PYTHONSTARTUP BASH_ENV ENV
    PERL5OPT RUBYOPT GIT_SSH_COMMAND node_options BASH_FUNC_x MCPPROXY_UPSTREAM`.split(/\s+/);
  test.each(DANGEROUS.concat('A B', '', 'A=B'))('refuses %j', (name) => {
    expect(() => childEnv({ [name]: 'x' }, 'm', {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  test('refuses a NUL in a value', () => {
    expect(() => childEnv({ A: 'x\0y' }, 'm', {})).toThrow(/NUL/);
  });
});
