import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ActivityStatus } from '../../../contract/activity.ts';
import { OperationType } from '../../../contract/operation.ts';
import { cli } from '../../../../test/fixtures/fake-cli.ts';
import { commandNodes } from './completion.ts';
import { buildProgram } from '../program.ts';

/** What a real bash offers for the last of these words. */
async function bashOffers(...words: string[]): Promise<string[]> {
  const { stdout: script } = await cli(['completion', 'bash']);
  const ask = `COMP_WORDS=(mcpproxy ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _mcpproxy; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${script}\n${ask}`], {
    encoding: 'utf8',
    timeout: 280_000,
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe('bash', () => {
  test('commands and subcommands', async () => {
    expect(await bashOffers('act')).toEqual(['activity']);
    expect(await bashOffers('call', 'tool-')).toEqual(['tool-read', 'tool-write', 'tool-destructive']);
  });

  test('flags of the place, and none of another', async () => {
    expect(await bashOffers('activity', 'list', '--in')).toEqual(['--intent-type']);
    expect(await bashOffers('tools', 'list', '--in')).toEqual(['--inferred']);
  });

  test('values from the schemas', async () => {
    expect(await bashOffers('activity', 'list', '--status', '')).toEqual(ActivityStatus.options);
    expect(await bashOffers('tools', 'list', '-o', 'json', '--operation', '')).toEqual(OperationType.options);
    expect(await bashOffers('completion', 'z')).toEqual(['zsh']);
    expect(await bashOffers('-o', '')).toEqual(['table', 'json', 'yaml']);
  });

  test('nothing is offered for free text', async () => {
    expect(await bashOffers('call', 'tool-read', '--reason', '')).toEqual([]);
  });
});

test.each(['zsh', 'fish'])(
  '%s: every command, flag and value of the tree is in the script',
  async (shell) => {
    const { stdout, code } = await cli(['completion', shell]);
    expect(code).toBe(0);
    for (const { path, flags, subcommands } of commandNodes(
      await buildProgram(() => () => Promise.resolve(), ''),
    )) {
      if (path) expect(stdout).toContain(path);
      for (const { name } of subcommands) expect(stdout).toContain(name);
      for (const { names, takes } of flags) {
        expect(stdout).toContain(names.at(-1)!.replace(/^--/, ''));
        if (Array.isArray(takes)) expect(stdout).toContain(takes.join(' '));
      }
    }
  },
);

test('an unknown shell is a usage error that names the three', async () => {
  const { code, stderr } = await cli(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are bash, zsh, fish.');
});
