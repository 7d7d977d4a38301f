import type { CallFlow } from '../../../../src/contract/activity.ts';
import type { OperationType } from '../../../../src/contract/operation.ts';

export type FlowOperation = OperationType | 'other';

export interface FlowNode {
  id: string;
  column: 0 | 1 | 2;
  /** Agent, server, or tool without its server. */
  label: string;
  calls: number;
  stopped: number;
  /** What the activity page filters by. */
  filter: { agent?: string; server?: string; tool?: string };
  y: number;
  height: number;
}

export interface FlowRibbon {
  id: string;
  from: FlowNode;
  to: FlowNode;
  op: FlowOperation;
  /** Refused, denied or expired: the calls did not arrive. */
  isStopped: boolean;
  calls: number;
  /** Upper edge at both ends. */
  y0: number;
  y1: number;
  height: number;
}

export interface FlowPicture {
  nodes: FlowNode[];
  ribbons: FlowRibbon[];
  height: number;
  calls: number;
  stopped: number;
}

/** How many of a column are told apart. */
const SHOWN = [8, 8, 14] as const;
const GAP = 7;
/** Room for a label of one line. */
const MIN_NODE = 16;
const OPERATIONS: readonly FlowOperation[] = ['read', 'write', 'destructive', 'other'];

interface Part {
  from: string;
  to: string;
  op: FlowOperation;
  isStopped: boolean;
  calls: number;
}

/** Where the nodes and ribbons of the picture are. Wide is what is frequent; the rest of a column is one node. */
export function layOut(flows: readonly CallFlow[], wanted: number): FlowPicture {
  const shown = shownNames(flows);
  const steps = flows.map((flow) => ({ flow, path: pathOf(flow, shown) }));
  const nodes = new Map<string, FlowNode>();
  const parts = new Map<string, Part>();
  for (const { flow, path } of steps) {
    for (const node of path) addNode(nodes, node, flow);
    for (const [from, to] of [path.slice(0, 2), path.slice(1)]) addParts(parts, [from!.id, to!.id], flow);
  }
  const columns = ([0, 1, 2] as const).map((column) =>
    [...nodes.values()].filter((node) => node.column === column),
  );
  order(columns);
  const calls = flows.reduce((sum, flow) => sum + flow.calls, 0);
  const scale = scaleOf(columns, wanted, calls);
  const height = Math.max(...columns.map((column) => place(column, scale)), 0);
  for (const column of columns) centre(column, height);
  return {
    nodes: columns.flat(),
    ribbons: ribbonsOf([...parts.values()], nodes, scale),
    height,
    calls,
    stopped: flows.reduce((sum, { stopped }) => sum + stopped, 0),
  };
}

type Named = Pick<FlowNode, 'id' | 'column' | 'label' | 'filter'>;
type Shown = readonly [ReadonlySet<string>, ReadonlySet<string>, ReadonlySet<string>];

const toolName = ({ server, tool }: CallFlow) => `${server}:${tool}`;

function shownNames(flows: readonly CallFlow[]): Shown {
  const most = (nameOf: (flow: CallFlow) => string, limit: number) => {
    const sums = new Map<string, number>();
    // A tool of which calls were stopped matters more than its number says.
    for (const flow of flows)
      sums.set(nameOf(flow), (sums.get(nameOf(flow)) ?? 0) + flow.calls + flow.stopped);
    const names = [...sums].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([name]) => name);
    // One that is left over gets a node of its own: "1 other" would not save any room.
    return new Set(names.length === limit + 1 ? names : names.slice(0, limit));
  };
  return [
    most(({ agent }) => agent, SHOWN[0]),
    most(({ server }) => server, SHOWN[1]),
    most(toolName, SHOWN[2]),
  ];
}

function pathOf(flow: CallFlow, [agents, servers, tools]: Shown): [Named, Named, Named] {
  const { agent, server, tool } = flow;
  const own = servers.has(server);
  return [
    agents.has(agent)
      ? { id: `a ${agent}`, column: 0, label: agent, filter: { agent } }
      : { id: 'a', column: 0, label: 'other agents', filter: {} },
    own
      ? { id: `s ${server}`, column: 1, label: server, filter: { server } }
      : { id: 's', column: 1, label: 'other servers', filter: {} },
    own && tools.has(toolName(flow))
      ? { id: `t ${toolName(flow)}`, column: 2, label: tool, filter: { tool: toolName(flow) } }
      : own
        ? { id: `o ${server}`, column: 2, label: `other tools of ${server}`, filter: { server } }
        : { id: 'o', column: 2, label: 'other tools', filter: {} },
  ];
}

function addNode(nodes: Map<string, FlowNode>, named: Named, { calls, stopped }: CallFlow): void {
  const node = nodes.get(named.id) ?? { ...named, calls: 0, stopped: 0, y: 0, height: 0 };
  node.calls += calls;
  node.stopped += stopped;
  nodes.set(named.id, node);
}

function addParts(
  parts: Map<string, Part>,
  [from, to]: [string, string],
  { op = 'other', calls, stopped }: Omit<CallFlow, 'op'> & { op?: FlowOperation },
): void {
  for (const [isStopped, n] of [
    [false, calls - stopped],
    [true, stopped],
  ] as const) {
    if (n === 0) continue;
    const key = JSON.stringify([from, to, op, isStopped]);
    const part = parts.get(key) ?? { from, to, op, isStopped, calls: 0 };
    part.calls += n;
    parts.set(key, part);
  }
}

/** The most frequent first; tools below each other as their servers are. */
function order([agents, servers, tools]: FlowNode[][]): void {
  // What is left over comes last, however much it is.
  const isRest = ({ id }: FlowNode) => Number(!id.includes(' ') || id.startsWith('o '));
  const frequent = (a: FlowNode, b: FlowNode) =>
    isRest(a) - isRest(b) || b.calls - a.calls || (a.id < b.id ? -1 : 1);
  agents!.sort(frequent);
  servers!.sort(frequent);
  const rank = new Map(servers!.map(({ label }, index) => [label, index]));
  const rankOf = ({ filter }: FlowNode) =>
    rank.get(filter.server ?? filter.tool?.slice(0, filter.tool.indexOf(':')) ?? '') ?? rank.size;
  tools!.sort((a, b) => rankOf(a) - rankOf(b) || frequent(a, b));
}

/** Pixels per call, so that the fullest column has the wanted height. */
function scaleOf(columns: readonly FlowNode[][], wanted: number, calls: number): number {
  const most = Math.max(...columns.map(({ length }) => length));
  return calls === 0 ? 0 : Math.max(60, wanted - most * GAP) / calls;
}

function place(column: readonly FlowNode[], scale: number): number {
  let y = 0;
  for (const node of column) {
    node.y = y;
    node.height = Math.max(MIN_NODE, node.calls * scale);
    y += node.height + GAP;
  }
  return Math.max(0, y - GAP);
}

function centre(column: readonly FlowNode[], height: number): void {
  const last = column.at(-1);
  const shift = last === undefined ? 0 : (height - last.y - last.height) / 2;
  for (const node of column) node.y += shift;
}

function ribbonsOf(
  parts: readonly Part[],
  nodes: ReadonlyMap<string, FlowNode>,
  scale: number,
): FlowRibbon[] {
  const ends = parts.map((part) => ({ part, from: nodes.get(part.from)!, to: nodes.get(part.to)! }));
  const ribbons = ends.map(({ part: { op, isStopped, calls }, from, to }): FlowRibbon => ({
    id: JSON.stringify([from.id, to.id, op, isStopped]),
    from,
    to,
    op,
    isStopped,
    calls,
    y0: 0,
    y1: 0,
    height: Math.max(1, calls * scale),
  }));
  const kind = ({ op, isStopped }: FlowRibbon) => OPERATIONS.indexOf(op) + (isStopped ? 10 : 0);
  stack(ribbons, 'from', (a, b) => a.to.y - b.to.y || kind(a) - kind(b));
  stack(ribbons, 'to', (a, b) => a.from.y - b.from.y || kind(a) - kind(b));
  return ribbons;
}

/** Puts the ribbons of each node below each other, in the middle of it. */
function stack(
  ribbons: readonly FlowRibbon[],
  end: 'from' | 'to',
  byOther: (a: FlowRibbon, b: FlowRibbon) => number,
): void {
  const groups = new Map<FlowNode, FlowRibbon[]>();
  for (const ribbon of ribbons) groups.set(ribbon[end], [...(groups.get(ribbon[end]) ?? []), ribbon]);
  for (const [node, group] of groups) {
    const room = group.reduce((sum, { height }) => sum + height, 0);
    let y = node.y + Math.max(0, (node.height - room) / 2);
    for (const ribbon of group.sort(byOther)) {
      ribbon[end === 'from' ? 'y0' : 'y1'] = y;
      y += ribbon.height;
    }
  }
}
