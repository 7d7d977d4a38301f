import { describe, expect, test } from 'vitest';
import { tellingLines } from './telling-lines.ts';

/** What real programs wrote to stderr, with other names of files and packages. */
const NPX_404 = `npm warn Unknown user config "nodedir". This will stop working in the next major version of npm.
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/@acme%2fnone
npm error 404
npm error 404  The requested resource '@acme/none@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-18T04_10_16_716Z-debug-0.log`;

const UVX = `error: No solution found when resolving tool dependencies
  cause: Because mcp-nonesuch was not found in the package registry and you require mcp-nonesuch, we can conclude that your requirements are unsatisfiable.`;

const UVX_TREE = `  × No solution found when resolving tool dependencies:
  ╰─▶ Because mcp-nonesuch was not found in the package registry and you require mcp-nonesuch, we can
      conclude that your requirements are unsatisfiable.`;

const PIP = `Looking in links: /opt/wheels
ERROR: Could not find a version that satisfies the requirement mcp-nonesuch (from versions: none)
ERROR: No matching distribution found for mcp-nonesuch

[notice] A new release of pip is available: 24.0 -> 25.1`;

const DOCKER = `docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?

Run 'docker run --help' for more information`;

const DOCKER_IMAGE = `Unable to find image 'mcp/none:latest' locally
docker: Error response from daemon: pull access denied for mcp/none, repository does not exist or may require 'docker login': denied: requested access to the resource is denied.
See 'docker run --help'.`;

const NODE_MODULE = `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/home/me/missing.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2`;

const NODE_THROW = `/home/me/server.js:1
throw new Error('Missing required environment variable API_KEY')
^

Error: Missing required environment variable API_KEY
    at Object.<anonymous> (/home/me/server.js:1:7)

Node.js v20.20.2`;

const PYTHON = `Traceback (most recent call last):
  File "/home/me/v/bin/mcp-server-sqlite", line 8, in <module>
    sys.exit(main())
             ^^^^^^
  File "/home/me/v/lib/python3.11/site-packages/mcp_server_sqlite/server.py", line 173, in main
    @server.list_resources()
     ^^^^^^^^^^^^^^^^^^^^^
AttributeError: 'Server' object has no attribute 'list_resources'`;

const PYTHON_CHAIN = `Traceback (most recent call last):
  File "<string>", line 5, in main
KeyError: 'GITHUB_TOKEN'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "<string>", line 7, in main
ValueError: GITHUB_TOKEN is not set`;

const PYTHON_THEN_NOISE = `Traceback (most recent call last):
  File "server.py", line 1, in <module>
    import mcp
ModuleNotFoundError: No module named 'mcp'
INFO: shutting down
Goodbye`;

const GO = `panic: GITHUB_TOKEN not set

goroutine 1 [running]:
main.main()
	/home/me/main.go:3 +0x3e
exit status 2`;

const CLICK = `Usage: mcp-server-git [OPTIONS]
Try 'mcp-server-git --help' for help.

Error: No such option '--repositry'. Did you mean '--repository'?`;

describe('the lines that explain a failure', () => {
  test.each([
    ['npx', NPX_404, /404 Not Found - GET .*The requested resource '@acme\/none@\*' could not be found/s],
    ['uvx', UVX, /cause: Because mcp-nonesuch was not found in the package registry/],
    ['uvx in a tree', UVX_TREE, /Because mcp-nonesuch was not found in the package registry/],
    ['pip', PIP, /No matching distribution found for mcp-nonesuch$/],
    ['docker without a daemon', DOCKER, /^docker: Cannot connect to the Docker daemon at [^\n]*$/],
    [
      'docker without the image',
      DOCKER_IMAGE,
      /^docker: Error response from daemon: pull access denied[^\n]*$/,
    ],
    ['node without a module', NODE_MODULE, /^Error: Cannot find module '\/home\/me\/missing\.mjs'$/],
    ['node that throws', NODE_THROW, /^Error: Missing required environment variable API_KEY$/],
    ['python', PYTHON, /^AttributeError: 'Server' object has no attribute 'list_resources'$/],
    ['python with a cause', PYTHON_CHAIN, /^KeyError: 'GITHUB_TOKEN'\nValueError: GITHUB_TOKEN is not set$/],
    ['python that goes on', PYTHON_THEN_NOISE, /^ModuleNotFoundError: No module named 'mcp'$/],
    ['go', GO, /^panic: GITHUB_TOKEN not set$/],
    ['a wrong option', CLICK, /^Error: No such option '--repositry'\. Did you mean '--repository'\?$/],
    ['a shell', 'sh: 1: nosuchcmd: not found', /^sh: 1: nosuchcmd: not found$/],
    ['env', 'env: ‘nosuch’: No such file or directory', /No such file or directory$/],
    [
      'a denied file',
      'starting\nPermissionError: [Errno 13] Permission denied: /x\nbye',
      /^PermissionError: .*$/,
    ],
  ])('of %s', (_what, stderr, expected) => {
    expect(tellingLines(stderr.split('\n')).join('\n')).toMatch(expected);
  });

  test('are at most three, without colors, each of limited length', () => {
    const lines = tellingLines(
      Array.from({ length: 50 }, (_, n) => `\u001b[31mError: number ${n} ${'x'.repeat(1000)}\u001b[0m`),
    );
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/^Error: number 49 x+$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(300);
  });

  test('are the last one where none mentions a failure, and none where nothing was written', () => {
    expect(tellingLines(['listening', 'bye', '', '    at x (y.js:1:1)'])).toEqual(['bye']);
    expect(tellingLines(['', '  '])).toEqual([]);
  });
});
