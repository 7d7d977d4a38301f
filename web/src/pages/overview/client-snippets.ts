/** How each client is connected. The credential comes from the environment or a prompt, so that no file and no page holds it. */
export interface Snippet {
  client: string;
  where: string;
  text: string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

export function clientSnippets(origin: string): Snippet[] {
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
