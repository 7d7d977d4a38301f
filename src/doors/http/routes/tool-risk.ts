import type { HeldTool } from '../../../catalog/index.ts';
import { OperationType } from '../../../contract/operation.ts';
import type { RouteOutput } from '../../../contract/routes/api.ts';

type ToolRisk = RouteOutput<'toolRisk'>;
type RiskCell = ToolRisk['cells'][number];
type RiskyTool = ToolRisk['tools'][number];

const MAX_TOOLS = 120;

/** A tool that any variant may call can be called as a read. */
const severity = (operation: OperationType | null): number =>
  operation === null ? 0 : OperationType.options.indexOf(operation);

/** Agents may call the tool as less than its text suggests, and nobody has said that this is right. */
const isDoubtful = ({ enforced, inferred, decided }: RiskyTool): boolean =>
  !decided && severity(enforced) < severity(inferred);

/** Tools by what they are held to and what they look like. */
export function riskOf(
  held: readonly HeldTool[],
  calls: Readonly<Record<string, number>>,
): Pick<ToolRisk, 'cells' | 'tools'> {
  const cells = new Map<string, RiskCell>();
  const tools = held.map((tool) => ({ ...tool, calls: callsOf(calls, tool.name) }));
  for (const { enforced, inferred, calls: n } of tools) {
    const key = `${enforced} ${inferred}`;
    const cell = cells.get(key) ?? { enforced, inferred, tools: 0, calls: 0 };
    cells.set(key, { ...cell, tools: cell.tools + 1, calls: cell.calls + n });
  }
  return { cells: [...cells.values()], tools: tools.sort(riskiestFirst).slice(0, MAX_TOOLS) };
}

/** A tool may be named like something that every object has. */
const callsOf = (calls: Readonly<Record<string, number>>, name: string): number =>
  Object.hasOwn(calls, name) ? calls[name]! : 0;

function riskiestFirst(a: RiskyTool, b: RiskyTool): number {
  return (
    Number(isDoubtful(b)) - Number(isDoubtful(a)) ||
    (isDoubtful(a) ? severity(b.inferred) - severity(a.inferred) : 0) ||
    b.calls - a.calls ||
    (a.name < b.name ? -1 : 1)
  );
}
