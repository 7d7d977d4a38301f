import { useApi } from '../../session/api.ts';
import { AgentSearch } from './agent-search.tsx';
import { Verdicts } from './verdicts.tsx';
import './tools.css';

/** What agents can find, and what each tool is held to. */
export default function ToolsPage() {
  const status = useApi('status', {});
  return (
    <>
      <div className="row row-apart">
        <h1>Tools</h1>
        <span className="muted">{status.data?.tools.coverage}</span>
      </div>
      <AgentSearch />
      <h2>Verdict book</h2>
      <Verdicts />
    </>
  );
}
