import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkedCall } from './calls.ts';
import { stopAll } from './children.ts';
import { compileParts } from './compile.ts';
import { startLoad } from './load-driver.ts';
import { startEcho, startProxy, STDIO_UPSTREAM } from './middles.ts';
import { areaOf, shares, type Profile } from './profile-areas.ts';
import { table } from './table.ts';
import type { Era } from './wire.ts';

// Where the proxy's CPU time goes under load. It profiles the built program: `npm run build` first.
// usage: node --import tsx bench/profile.ts [--callers 32] [--operation read] [--upstream stdio] [--era 2025-11-25] [--seconds 8]

const { values } = parseArgs({
  options: {
    callers: { type: 'string', default: '32' },
    operation: { type: 'string', default: 'read' },
    upstream: { type: 'string', default: 'stdio' },
    era: { type: 'string', default: '2025-11-25' },
    seconds: { type: 'string', default: '8' },
  },
});

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Without the start: what loads modules would hide what serves calls. */
async function record(dir: string): Promise<Profile> {
  const echo = await startEcho(dir);
  const interval = ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', join(dir, 'profile')];
  const proxy = await startProxy({ stdio: STDIO_UPSTREAM, http: { url: echo.url } }, dir, {
    nodeFlags: interval,
  });
  const load = startLoad();
  const { url, pid, headers } = proxy;
  const call = checkedCall(values.upstream, values.operation as 'read' | 'write');
  const result = await load.run({
    target: { name: 'proxy', url, pid, era: values.era as Era, headers: headers ?? {}, ...call },
    callers: Number(values.callers),
    warmMs: 1000,
    measureMs: Number(values.seconds) * 1000,
  });
  load.stop();
  await proxy.stop();
  console.log(
    `${result.calls} calls, ${Math.round(result.callsPerSecond)}/s, ${result.cpuUs?.toFixed(0)} µs CPU each while profiled\n`,
  );
  const [file] = readdirSync(join(dir, 'profile'));
  return JSON.parse(readFileSync(join(dir, 'profile', file!), 'utf8')) as Profile;
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-profile-'));
try {
  compileParts();
  const profile = await record(dir);
  const byArea = shares(profile, areaOf);
  console.log(
    table(
      ['area', 'share of busy time'],
      byArea.map(([area, share]) => [area, percent(share)]),
    ),
  );
  const byFunction = shares(profile, ({ functionName, url, lineNumber }) => {
    const place = url.split('/').slice(-3).join('/');
    return `${functionName || '(anonymous)'} ${place}${place ? `:${lineNumber + 1}` : ''}`;
  });
  console.log(
    `\n${table(
      ['function, self time', ''],
      byFunction.slice(0, 45).map(([name, share]) => [name, percent(share)]),
    )}`,
  );
} finally {
  await stopAll();
  rmSync(dir, { recursive: true, force: true });
}
