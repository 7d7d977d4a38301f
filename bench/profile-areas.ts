/** The V8 profile, as far as it is read here. */
export interface Profile {
  nodes: Array<{ id: number; callFrame: CallFrame; children?: number[] }>;
  samples: number[];
  timeDeltas: number[];
}

export interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
}

const IDLE = new Set(['(idle)', '(root)']);

/** Self time by whatever `key` says of the frame, as shares of the busy time, largest first. Native frames go to their caller's key. */
export function shares(
  profile: Profile,
  key: (frame: CallFrame, caller: CallFrame | undefined) => string,
): Array<[string, number]> {
  const parents = new Map<number, CallFrame>();
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  for (const { callFrame, children = [] } of profile.nodes)
    for (const child of children) parents.set(child, callFrame);
  // The first second and what came before it is the start.
  const from = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0) * 0.15;
  const sums = new Map<string, number>();
  let at = 0;
  let busy = 0;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index]!;
    at += delta;
    const frame = frames.get(id)!;
    if (at < from || IDLE.has(frame.functionName)) continue;
    busy += delta;
    const name = key(frame, parents.get(id));
    sums.set(name, (sums.get(name) ?? 0) + delta);
  }
  return [...sums].map(([name, sum]): [string, number] => [name, sum / busy]).sort((a, b) => b[1] - a[1]);
}

/** Ours by folder, packages by name, Node.js by module. SQLite is native code that counts as its caller: `db/` and `activity/`. */
export function areaOf({ functionName, url }: CallFrame, caller: CallFrame | undefined): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native code outside of JavaScript';
  if (url === '')
    return caller && caller.url !== '' ? nativeArea(functionName, caller) : `native ${functionName}`;
  if (url.startsWith('node:')) return nodeArea(url);
  const [, packageName] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (packageName) return `package ${packageName}`;
  const [, folder] = /\/dist\/([^/]+)\//.exec(url) ?? [];
  return folder ? `ours: ${folder}/` : 'ours: others';
}

function nativeArea(functionName: string, caller: CallFrame): string {
  if (functionName === 'stringify' || functionName === 'parse') return 'JSON';
  return areaOf(caller, undefined);
}

function nodeArea(url: string): string {
  if (/_http|internal\/http/.test(url)) return 'Node.js: HTTP';
  if (/stream|net|tty/.test(url)) return 'Node.js: streams and sockets';
  if (/timers|process\/task_queues|async_hooks/.test(url)) return 'Node.js: timers and ticks';
  return 'Node.js: others';
}
