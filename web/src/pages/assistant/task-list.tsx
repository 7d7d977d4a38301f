import { useQuery } from '@tanstack/react-query';
import { Fetched, Claim } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { client } from '../../session/api.ts';

interface Task {
  task_id: string;
  description: string;
  status: 'pending' | 'completed';
}

async function loadTasks(signal: AbortSignal): Promise<Task[]> {
  const body = {
    tool_variant: 'call_tool_read' as const,
    name: 'tasks:list_tasks',
    args: {},
    intent: { operation_type: 'read', reason: 'the web UI shows the task list' },
  };
  const result = await client.request('callTool', { body }, signal);
  return asNumbered((result.structuredContent as { tasks?: Task[] } | undefined)?.tasks ?? []);
}

/** In the order that the assistant uses, so that "the first one" means the same task in both. */
function asNumbered(newestFirst: Task[]): Task[] {
  const open = newestFirst.filter(({ status }) => status === 'pending').reverse();
  return [...open, ...newestFirst.filter(({ status }) => status === 'completed')];
}

/** The current tasks, refetched through a normal tool call after each message. */
export function TaskList({ turns }: { turns: number }) {
  const tasks = useQuery({
    queryKey: ['tasks', turns],
    queryFn: ({ signal }) => loadTasks(signal),
    placeholderData: (before) => before,
  });
  return (
    <section className="card stack" aria-label="Tasks">
      <h2>Tasks</h2>
      <Fetched query={tasks} what="tasks">
        {(data) => (
          <>
            {data.length === 0 && <Claim>No tasks.</Claim>}
            <ul className="tasks">
              {data.map(({ task_id, description, status }) => (
                <li key={task_id} className={status === 'completed' ? 'task-done' : undefined}>
                  <Line text={description} max={300} />
                  {status === 'completed' && <span className="sr-only"> (done)</span>}
                </li>
              ))}
            </ul>
          </>
        )}
      </Fetched>
    </section>
  );
}
