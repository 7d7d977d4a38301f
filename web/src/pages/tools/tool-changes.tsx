import type { JudgedTool } from '../../../../src/contract/judged-tool.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';

/** How the tool differs from what was accepted, and a way to accept exactly this. */
export function ToolChanges({ tool }: { tool: JudgedTool }) {
  const diff = useApi('diffTool', { name: tool.name });
  const approve = useChange('approveTool', ['getTool', 'listTools', 'searchTools', 'diffTool', 'status']);
  const task = useTask();
  return (
    <section className="stack">
      <h3>
        {tool.standing === 'new' ? 'Nobody has accepted this tool yet' : 'It changed since it was accepted'}
      </h3>
      <Fetched query={diff} what="what changed">
        {() => null}
      </Fetched>
      {diff.data?.notes.map((note) => (
        <p key={note}>
          <Line text={note} />
        </p>
      ))}
      {diff.data && diff.data.changes.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th>Where</th>
                <th>Before</th>
                <th>Now</th>
              </tr>
            </thead>
            <tbody>
              {diff.data.changes.map(({ path, before, after }) => (
                <tr key={path}>
                  <td className="mono">
                    <Line text={path} />
                  </td>
                  <td>{before === undefined ? '–' : <Paragraph text={before} max={1000} />}</td>
                  <td>{after === undefined ? '–' : <Paragraph text={after} max={1000} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button
          type="button"
          className="primary"
          // Nobody should accept what they could not see.
          disabled={task.busy || !diff.data}
          onClick={() => task.run(() => approve.mutateAsync({ name: tool.name, hash: tool.definition_hash }))}
        >
          Accept it as it is now
        </button>
      </div>
    </section>
  );
}
