import type { Browser } from 'playwright-core';
import type { CallResult } from '../../src/contract/call.ts';
import type { OperationType } from '../../src/contract/operation.ts';
import { startHere } from '../e2e/start-here.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { openExecutionLog, type Execution } from '../fixtures/execution-log.ts';
import type { FoundBrowser } from '../fixtures/browsers.ts';
import { fixture } from '../fixtures/start.ts';
import { openBrowser, openPage, type View, type Watched } from './browser.ts';

/** The built program with real MCP servers, and a real browser in front of it. */
export interface WebStage {
  proxy: RunningProxy;
  browser: Browser;
  /** A page that is logged in, at a path. */
  open(path: string, view?: View): Promise<Watched>;
  /** A tool call through REST, as a script would make it. */
  call: (operation: OperationType, name: string, given?: CallInput) => Promise<CallResult>;
  /** What the counting server has executed so far. */
  executions(): Execution[];
  dispose(): Promise<void>;
}

interface CallInput {
  args?: Record<string, unknown>;
  reason?: string;
}

export interface StageOptions {
  config?: Record<string, unknown>;
  /** Servers beside the usual ones. */
  servers?: Record<string, unknown>;
  /** The first one that this machine has otherwise. */
  browser?: FoundBrowser;
  /** Where the proxy listens; a free port otherwise. */
  listen?: string;
}

export async function openWebStage({
  config,
  servers,
  browser: given,
  listen,
}: StageOptions = {}): Promise<WebStage> {
  const log = openExecutionLog();
  const mcpServers = {
    up: log.server(),
    evil: fixture('hostile-page.mjs'),
    ...servers,
  };
  const [browser, proxy] = await Promise.all([
    openBrowser(given),
    listen === undefined
      ? startHere({ config: { mcpServers, ...config } })
      : startProxy({ config: { mcpServers, ...config }, args: ['--listen', listen] }),
  ]);
  return {
    proxy,
    browser,
    async open(path, view) {
      const watched = await openPage(browser, proxy.url, view);
      const { url } = await proxy.rest.request('createLoginLink', {});
      await watched.page.goto(url);
      await watched.page.getByRole('navigation').waitFor();
      await watched.page.goto(proxy.url + path);
      await watched.page.getByRole('heading', { level: 1 }).waitFor();
      return watched;
    },
    call: (operation, name, { args = {}, reason } = {}) =>
      proxy.rest.request('callTool', {
        body: {
          tool_variant: `call_tool_${operation}`,
          name,
          args,
          intent: { operation_type: operation, ...(reason !== undefined && { reason }) },
        },
      }),
    executions: log.executions,
    async dispose() {
      await browser.close();
      await proxy.dispose();
      log.remove();
    },
  };
}
