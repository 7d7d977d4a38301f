import { randomUUID } from 'node:crypto';
import { startRpcServer, type Json, type RpcServer } from '../fixtures/rpc-server.ts';
import { EXTENSION, knowsTasks } from '../fixtures/task-server.ts';

interface Task {
  startedAt: number;
  /** How long it works. Questions keep it from ending. */
  ms: number;
  outcome: (answers: Json) => Json;
  questions: Json;
  answers: Json;
  isCancelled?: boolean;
}

const text = (said: string, isError = false): Json => ({
  content: [{ type: 'text', text: said }],
  ...(isError && { isError }),
});
const ask = (message: string, property = 'confirm', type = 'boolean'): Json => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [property]: { type } } },
  },
});

type Plan = Pick<Task, 'ms' | 'outcome'> & { questions?: Json };
interface Tool {
  /** What it says without a task; absent: it needs one. */
  atOnce?: (args: Json) => Json;
  /** Absent: it never makes a task. */
  plan?: (args: Json, params: Json) => Plan;
  properties?: Json;
}

const compute = ({ label }: Json) => text(`computed ${String(label)}`);
const nameOf = ({ inputResponses }: Json) =>
  (inputResponses as { user_name?: { content?: { name?: string } } } | undefined)?.user_name?.content?.name;

/** The tools that the suite's scenarios of tasks name. */
const TOOLS: Record<string, Tool> = {
  greet: {
    atOnce: ({ name }) => text(`Hello, ${String(name)}!`),
    properties: { name: { type: 'string' } },
  },
  slow_compute: {
    atOnce: compute,
    plan: (args) => ({ ms: Number(args.seconds) * 1000, outcome: () => ({ result: compute(args) }) }),
    properties: { seconds: { type: 'number' }, label: { type: 'string' } },
  },
  failing_job: { plan: () => ({ ms: 300, outcome: () => ({ result: text('the job failed', true) }) }) },
  protocol_error_job: {
    plan: () => ({ ms: 300, outcome: () => ({ error: { code: -32603, message: 'the server panicked' } }) }),
  },
  confirm_delete: {
    plan: () => ({
      ms: 0,
      questions: { confirm: ask('Delete it?') },
      outcome: () => ({ result: text('deleted') }),
    }),
    properties: { filename: { type: 'string' } },
  },
  multi_input: {
    plan: () => ({
      ms: 0,
      questions: { first: ask('The first?'), second: ask('The second?') },
      outcome: (answers) => ({ result: text(JSON.stringify(answers)) }),
    }),
  },
  test_tool_with_task: {
    plan: (_args, params) => ({ ms: 0, outcome: () => ({ result: text(`Hello, ${nameOf(params)}!`) }) }),
  },
};

/** The server of the tasks scenarios: the extension of 2026-07-28 by hand. A task moves on with the clock when it is asked for. */
export function startTaskFixture(): Promise<RpcServer> {
  const tasks = new Map<string, Task>();

  function find({ taskId }: Json): Task {
    const task = tasks.get(String(taskId));
    if (!task) throw { code: -32602, message: 'no such task' };
    return task;
  }

  function call(params: Json): Json {
    const tool = TOOLS[String(params.name)];
    if (!tool) throw { code: -32602, message: 'no such tool' };
    const args = (params.arguments ?? {}) as Json;
    if (params.name === 'test_tool_with_task' && nameOf(params) === undefined) {
      const inputRequests = { user_name: ask('What is your name?', 'name', 'string') };
      return { resultType: 'input_required', inputRequests, requestState: 'asked' };
    }
    if (tool.plan && knowsTasks(params)) {
      const taskId = randomUUID();
      const plan = tool.plan(args, params);
      const task: Task = { startedAt: Date.now(), questions: {}, answers: {}, ...plan };
      tasks.set(taskId, task);
      return { ...view(taskId, task), resultType: 'task' };
    }
    if (tool.atOnce) return tool.atOnce(args);
    const requiredCapabilities = { extensions: { [EXTENSION]: {} } };
    throw { code: -32021, message: 'this tool needs tasks', data: { requiredCapabilities } };
  }

  return startRpcServer(
    {
      'server/discover': () => ({
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
        serverInfo: { name: 'tasks', version: '1.0.0' },
      }),
      'tools/list': () => ({ tools: Object.keys(TOOLS).map(listed), ttlMs: 60_000, cacheScope: 'private' }),
      'tools/call': call,
      'tasks/get': (params) => detailed(String(params.taskId), find(params)),
      'tasks/cancel': (params) => {
        find(params).isCancelled = true;
        return {};
      },
      'tasks/update': (params) => {
        const { questions, answers } = find(params);
        for (const [key, answer] of Object.entries(params.inputResponses as Json)) {
          if (!Object.hasOwn(questions, key)) continue;
          answers[key] = answer;
          delete questions[key];
        }
        return {};
      },
    },
    true,
  );
}

function listed(name: string): Json {
  const { properties = {} } = TOOLS[name]!;
  const inputSchema = { type: 'object', properties };
  return { name, description: `Fixture tool ${name}`, inputSchema, annotations: { readOnlyHint: true } };
}

function statusOf({ isCancelled, questions, startedAt, ms, outcome, answers }: Task): string {
  if (isCancelled) return 'cancelled';
  if (Object.keys(questions).length > 0) return 'input_required';
  if (Date.now() < startedAt + ms) return 'working';
  return 'error' in outcome(answers) ? 'failed' : 'completed';
}

/** Without what belongs to `tasks/get` alone. */
function view(taskId: string, task: Task): Json {
  const createdAt = new Date(task.startedAt).toISOString();
  const lastUpdatedAt = new Date().toISOString();
  return { taskId, status: statusOf(task), createdAt, lastUpdatedAt, ttlMs: 60_000, pollIntervalMs: 100 };
}

function detailed(taskId: string, task: Task): Json {
  const seen = view(taskId, task);
  if (seen.status === 'input_required') return { ...seen, inputRequests: task.questions };
  const isEnded = seen.status === 'completed' || seen.status === 'failed';
  return isEnded ? { ...seen, ...task.outcome(task.answers) } : seen;
}
