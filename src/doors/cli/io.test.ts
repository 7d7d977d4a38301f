import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { compiled } from '../../../test/fixtures/compiled.ts';

const PROGRAM = await compiled(`import './test/fixtures/cli-process.ts'`);

function start(...argv: string[]): {
  child: ChildProcessWithoutNullStreams;
  stderr: () => string;
  ended: Promise<unknown[]>;
} {
  const child = spawn(process.execPath, [PROGRAM, ...argv], { timeout: 280_000 });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return { child, stderr: () => stderr, ended: once(child, 'close') };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a waiting command with %i, after closing what it opened', async (signal, code) => {
  const { child, stderr, ended } = start('upstream', 'list');
  child.stderr.on('data', (chunk: Buffer) => chunk.toString().includes('waiting') && child.kill(signal));
  child.stdout.resume();
  expect((await ended)[0]).toBe(code);
  expect(stderr()).toBe('waiting\nclosed\n');
});

test('a reader that leaves early (| head) is no error', async () => {
  const { child, stderr, ended } = start('tools', 'list', '-o', 'json');
  child.stdout.once('data', () => child.stdout.destroy());
  expect((await ended)[0]).toBe(0);
  expect(stderr()).toBe('closed\n');
});

test('a reader that left before anything was written is no error either', async () => {
  const { child, stderr, ended } = start('tools', 'list');
  child.stdout.destroy();
  expect((await ended)[0]).toBe(0);
  expect(stderr()).toBe('closed\n');
});

test('all of a long result arrives before the process ends', async () => {
  const { child, ended } = start('tools', 'list', '-o', 'json');
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  expect((await ended)[0]).toBe(0);
  expect((JSON.parse(Buffer.concat(chunks).toString()) as { tools: unknown[] }).tools).toHaveLength(20_000);
});
