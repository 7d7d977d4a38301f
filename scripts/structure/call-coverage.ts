import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Background work may run beside one call; it does not run beside each of so many, not even on a busy machine. */
const CALLS = 40;

/** The source files that run for each call_tool_write over MCP to a server on stdio, by V8's own coverage. */
export async function filesOfOneCall(root: string): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mcpproxy-coverage-'));
  const config = {
    mcpServers: { echo: { command: process.execPath, args: [join(root, 'test/fixtures/annotated.mjs')] } },
  };
  writeFileSync(join(dataDir, 'mcp_config.json'), JSON.stringify(config));
  const hook = pathToFileURL(join(root, 'scripts/structure/coverage-hook.mjs')).href;
  const proxy = fork(join(root, 'src/main.ts'), ['serve', '--listen', '127.0.0.1:0', '--data-dir', dataDir], {
    execArgv: ['--import', 'tsx', '--import', hook],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  try {
    const url = await listening(proxy);
    const key = readFileSync(join(dataDir, 'api_key'), 'utf8').trim();
    const source = pathToFileURL(join(root, 'src/')).href;
    await callWrite(url, key);
    let files = await take(proxy);
    for (let calls = 0; calls < CALLS; calls++) {
      await callWrite(url, key);
      const run = new Set(await take(proxy));
      files = files.filter((file) => run.has(file));
    }
    return files.filter((file) => file.startsWith(source)).map((file) => file.slice(source.length));
  } finally {
    proxy.kill();
    await once(proxy, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Resolves once the program says where it listens and that its servers are ready. */
function listening(proxy: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /listens at (\S+)/.exec(output)?.[1];
      if (url && output.includes('"msg":"ready"')) resolve(url);
    };
    proxy.stdout!.on('data', read);
    proxy.stderr!.on('data', read);
    proxy.once('exit', (code) => reject(new Error(`the proxy ended with ${code}: ${output}`)));
  });
}

const REVISION = '2026-07-28';

async function callWrite(url: string, key: string): Promise<void> {
  const args = { name: 'echo:get_things', args: {}, intent_operation_type: 'write' };
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'call_tool_write',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'call_tool_write',
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientInfo': { name: 'structure', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"isError":true')) throw new Error(`${answer.status} ${text}`);
}

async function take(proxy: ChildProcess): Promise<string[]> {
  proxy.send('take');
  const [files] = (await once(proxy, 'message')) as [string[]];
  return files;
}
