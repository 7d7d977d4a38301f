import { useApi } from '../../session/api.ts';
import { AgentSearch } from './agent-search.tsx';
import { ToolList } from './tool-list.tsx';
import { KindTabs } from '../items/kind-tabs.tsx';
import '../items/items.css';
import './tools.css';

/** Agent search and the list of tools with their verdicts. */
export default function ToolsPage() {
  const status = useApi('status', {});
  return (
    <>
      <h1>Tools</h1>
      <KindTabs />
      <AgentSearch />
      <h2>All tools</h2>
      <p className="muted coverage">{status.data?.tools.coverage}</p>
      <ToolList />
    </>
  );
}
