import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compiled } from '../../test/fixtures/compiled.ts';
import { eachEngine } from '../../test/fixtures/engines.ts';
import { systemClock } from '../lib/clock.ts';
import { createTaskStore, MAX_TASKS } from './task-store.ts';
import { createTasksTransport } from './server.ts';

const ABSENT = '00000000-0000-4000-8000-000000000000';
let client: Client;

interface Value {
  task: {
    task_id: string;
    description: string;
    status: string;
    created_at: string;
    completed_at: string | null;
  };
  tasks: Array<Value['task']>;
  total: number;
  deleted: boolean;
}

async function call(name: string, args: Record<string, unknown>) {
  const result = await client.callTool({ name, arguments: args });
  const [block] = result.content as Array<{ type: string; text: string }>;
  return {
    text: block!.text,
    error: result.isError === true,
    value: result.structuredContent as Value,
  };
}

async function added(description: string, user_id?: string): Promise<string> {
  const { value } = await call('add_task', { description, ...(user_id && { user_id }) });
  return value.task.task_id;
}

eachEngine('the tasks server', ({ place, open, shared }) => {
  const database = shared('tasks');
  let time: number;

  beforeEach(async () => {
    time = Date.parse('2026-01-01T00:00:00Z');
    client = new Client({ name: 'test', version: '1' });
    await client.connect(createTasksTransport({ db: database(), clock: { now: () => time } }));
  });

  afterEach(() => client.close());

  describe('its tools', () => {
    test('are five, annotated honestly, with schemas for input and output', async () => {
      const { tools } = await client.listTools();
      const hints = Object.fromEntries(
        tools.map(({ name, annotations: a }) => [
          name,
          [a?.readOnlyHint, a?.destructiveHint, a?.idempotentHint, a?.openWorldHint],
        ]),
      );
      expect(hints).toEqual({
        add_task: [false, false, false, false],
        list_tasks: [true, false, true, false],
        update_task: [false, false, true, false],
        complete_task: [false, false, true, false],
        delete_task: [false, true, true, false],
      });
      for (const { inputSchema, outputSchema } of tools) {
        expect(inputSchema.required ?? []).not.toContain('user_id');
        expect(inputSchema.properties).toMatchObject({
          user_id: { type: 'string', description: expect.stringContaining('set by the proxy') },
        });
        expect(outputSchema).toMatchObject({ type: 'object' });
      }
      expect(tools.find(({ name }) => name === 'update_task')!.inputSchema).toMatchObject({
        required: ['task_id', 'description'],
        properties: {
          description: { type: 'string', minLength: 1, maxLength: 1000 },
          task_id: { type: 'string', format: 'uuid' },
        },
        additionalProperties: false,
      });
    });

    test('a UUID may be written in capitals, by the schema as by the tool', async () => {
      const { tools } = await client.listTools();
      const schema = tools.find(({ name }) => name === 'delete_task')!.inputSchema;
      const { pattern } = schema.properties!['task_id'] as { pattern: string };
      expect('0B8FA91D-4C1D-499E-86E2-1D029A9F3441').toMatch(new RegExp(pattern));
    });

    test('a task lives: added, listed, changed, completed, deleted', async () => {
      const { value } = await call('add_task', { description: '  buy milk ' });
      const id = value.task.task_id;
      expect(value.task).toEqual({
        task_id: id,
        description: 'buy milk',
        status: 'pending',
        created_at: '2026-01-01T00:00:00.000Z',
        completed_at: null,
      });
      time += 60_000;
      expect(
        (await call('update_task', { task_id: id, description: 'buy oat milk' })).value.task.description,
      ).toBe('buy oat milk');
      const done = (await call('complete_task', { task_id: id })).value.task;
      expect(done).toMatchObject({ status: 'completed', completed_at: '2026-01-01T00:01:00.000Z' });
      time += 60_000;
      expect((await call('complete_task', { task_id: id })).value.task).toEqual(done);
      expect((await call('list_tasks', {})).value).toEqual({ tasks: [done], total: 1 });
      expect((await call('delete_task', { task_id: id.toUpperCase() })).value).toMatchObject({
        deleted: true,
      });
      expect((await call('delete_task', { task_id: id })).value).toEqual({ task_id: id, deleted: false });
      expect((await call('list_tasks', {})).text).toBe('There are no tasks.');
    });

    test('the newest comes first, also within one millisecond', async () => {
      for (const description of ['one', 'two', 'three']) await added(description);
      const { value, text } = await call('list_tasks', {});
      expect(value.tasks.map((task) => task.description)).toEqual(['three', 'two', 'one']);
      expect(text.split('\n')).toHaveLength(3);
    });

    test('the task of another user answers exactly as a missing one', async () => {
      const theirs = await added('secret', 'bob');
      for (const [tool, more] of [
        ['update_task', { description: 'mine now' }],
        ['complete_task', {}],
        ['delete_task', {}],
      ] as const) {
        const foreign = await call(tool, { task_id: theirs, user_id: 'ann', ...more });
        const absent = await call(tool, { task_id: ABSENT, user_id: 'ann', ...more });
        expect(JSON.stringify(foreign).replaceAll(theirs, ABSENT)).toBe(JSON.stringify(absent));
      }
      expect((await call('list_tasks', { user_id: 'ann' })).value.total).toBe(0);
      expect((await call('list_tasks', { user_id: 'bob' })).value.tasks[0]).toMatchObject({
        description: 'secret',
        status: 'pending',
      });
      expect((await call('list_tasks', {})).value.total).toBe(0);
    });

    test('a missing task cannot be changed or completed', async () => {
      expect(await call('complete_task', { task_id: ABSENT })).toMatchObject({
        error: true,
        text: expect.stringContaining(`no task ${ABSENT}`),
      });
    });

    test.each([
      ['add_task', {}, 'description is required'],
      ['add_task', { description: '   ' }, 'must not be empty'],
      ['add_task', { description: 'a\0b' }, 'must not contain the character NUL'],
      ['add_task', { description: 'x', user_id: 'a\0' }, 'must not contain the character NUL'],
      ['add_task', { description: 7 }, 'description is required, as text'],
      ['add_task', { description: 'x'.repeat(1001) }, 'at most 1000 characters'],
      ['add_task', { description: 'x', titel: 'y' }, 'unknown parameter "titel"'],
      ['add_task', { description: 'x', user_id: 'u'.repeat(256) }, 'at most 255'],
      ['complete_task', { task_id: '42' }, 'must be a UUID'],
      ['delete_task', { task_id: `${ABSENT}' OR 1=1 --` }, 'must be a UUID'],
    ])('%s refuses bad input with a sentence: %j', async (name, args, sentence) => {
      expect(await call(name, args)).toMatchObject({ error: true, text: expect.stringContaining(sentence) });
    });

    test('a thousand characters count as characters in every script', async () => {
      expect((await call('add_task', { description: '🦊'.repeat(1000) })).error).toBe(false);
      expect((await call('add_task', { description: '🦊'.repeat(1001) })).error).toBe(true);
      expect((await call('list_tasks', {})).value.tasks[0]!.description).toBe('🦊'.repeat(1000));
    });

    test('an unknown tool is a protocol error', async () => {
      await expect(client.callTool({ name: 'drop_tasks', arguments: {} })).rejects.toThrow(
        /Unknown tool: drop_tasks/,
      );
    });

    test('there is an end to how many tasks a user may have', async () => {
      const task = { user_id: 'local', description: 'x', status: 'pending', created_at: 'then' };
      for (let i = 0; i < MAX_TASKS; i += 1000) {
        const some = Array.from({ length: 1000 }, (_, k) => ({ id: `id-${i + k}`, ...task }));
        await database().kysely.insertInto('tasks').values(some).execute();
      }
      expect(await call('add_task', { description: 'one more' })).toMatchObject({
        error: true,
        text: expect.stringContaining('delete some first'),
      });
      const { value, text } = await call('list_tasks', {});
      expect([value.tasks.length, value.total]).toEqual([1000, MAX_TASKS]);
      expect(text).toContain('and 9000 older ones');
    });

    test('tasks are still there after the database is opened again', async () => {
      const where = await place();
      const first = await open(where);
      await createTaskStore({ db: first, clock: systemClock }).add('local', 'kept');
      await first.close();
      const again = createTaskStore({ db: await open(where), clock: systemClock });
      expect((await again.list('local')).tasks[0]!.description).toBe('kept');
    });
  });

  describe('protocol eras', () => {
    test.each(['2026-07-28', 'legacy'] as const)('in process: %s', async (era) => {
      const other = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: era } } },
      );
      await other.connect(createTasksTransport({ db: database() }));
      const result = await other.callTool({ name: 'add_task', arguments: { description: 'both eras' } });
      expect(result.structuredContent).toMatchObject({ task: { description: 'both eras' } });
      await other.close();
    });

    test.each(['2026-07-28', 'legacy'] as const)('alone over stdio: %s', async (era) => {
      const where = await place();
      const program = await compiled(`
      import { openDatabase } from './src/db/database.ts';
      import { createLog } from './src/lib/log.ts';
      import { runTasksStdio } from './src/tasks/server.ts';
      const log = createLog('warn', { pretty: false });
      const db = await openDatabase({ ...JSON.parse(process.argv[2]!), log });
      await runTasksStdio({ db, log });
      await db.close();
    `);
      const other = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: era } } },
      );
      await other.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [program, JSON.stringify(where)],
        }),
      );
      const result = await other.callTool({ name: 'add_task', arguments: { description: 'alone' } });
      expect(result.structuredContent).toMatchObject({ task: { description: 'alone' } });
      await other.close();
    });
  });
});
