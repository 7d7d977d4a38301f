import { useState } from 'react';
import { Link } from 'wouter';
import { BASE } from '../../session/base.ts';
import { CodeView } from '../../parts/code-view.tsx';

/** The set-up steps, shown until a server and a client are connected. */
export function FirstSteps({ hasServers, hasCalls }: { hasServers: boolean; hasCalls: boolean }) {
  const snippets = clientSnippets(location.origin + BASE);
  const [chosen, setChosen] = useState(snippets[0]!.client);
  const snippet = snippets.find(({ client }) => client === chosen)!;
  if (hasServers && hasCalls) return null;
  return (
    <section className="card stack">
      <h2>Get started</h2>
      <ol className="steps">
        <li className={hasServers ? 'step-done' : undefined}>
          <Link href="/servers">Add a server</Link>, or import the servers of a client.
        </li>
        <li>
          Create a token for your agent: <code>mcpproxy tokens create --name my-agent</code>
        </li>
        <li className={hasCalls ? 'step-done' : undefined}>Connect the agent with the token:</li>
      </ol>
      <label className="field">
        <span>Client</span>
        <select value={chosen} onChange={(event) => setChosen(event.target.value)}>
          {snippets.map(({ client }) => (
            <option key={client}>{client}</option>
          ))}
        </select>
      </label>
      <CodeView label={snippet.where} value={snippet.text} />
    </section>
  );
}

/** The configuration of one client. The credential comes from the environment or a prompt, so that neither the file nor this page contains it. */
interface Snippet {
  client: string;
  where: string;
  text: string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

function clientSnippets(origin: string): Snippet[] {
  const url = `${origin}/mcp`;
  return [
    {
      client: 'Claude Code',
      where: '.mcp.json in the project',
      text: json({
        mcpServers: { mcpproxy: { type: 'http', url, headers: { 'X-API-Key': '${MCPPROXY_TOKEN}' } } },
      }),
    },
    {
      client: 'Cursor',
      where: '~/.cursor/mcp.json',
      text: json({ mcpServers: { mcpproxy: { url, headers: { 'X-API-Key': '${env:MCPPROXY_TOKEN}' } } } }),
    },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({
        inputs: [
          { type: 'promptString', id: 'mcpproxy-token', description: 'mcpproxy token', password: true },
        ],
        servers: { mcpproxy: { type: 'http', url, headers: { 'X-API-Key': '${input:mcpproxy-token}' } } },
      }),
    },
    {
      client: 'Codex',
      where: '~/.codex/config.toml',
      text: `[mcp_servers.mcpproxy]\nurl = "${url}"\nbearer_token_env_var = "MCPPROXY_TOKEN"\n`,
    },
    {
      client: 'Gemini CLI',
      where: '~/.gemini/settings.json',
      text: json({
        mcpServers: { mcpproxy: { httpUrl: url, headers: { 'X-API-Key': '$MCPPROXY_TOKEN' }, trust: false } },
      }),
    },
  ];
}
