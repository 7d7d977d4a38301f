import { OPERATION_TYPES } from '../../../../contract/values.ts';
import type { JudgedTool } from '../../../../contract/tool.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import type { Context, Reached } from '../../context.ts';
import { heading } from '../../output/table.ts';

/** Tools with findings that are printed; `tools list` has the others. */
const MAX_SHOWN = 20;

/** The tools of a server that was just added. */
export async function toolsOf({ request }: Reached, server: string): Promise<JudgedTool[]> {
  const { tools } = await request('listTools', { server, limit: 1000 });
  return tools;
}

/** What an operator should know before agents use a new server: what its tools do, and which texts look like instructions to the model. */
export function reviewLines(
  { style }: Pick<Context, 'style'>,
  name: string,
  tools: readonly JudgedTool[],
): string {
  if (tools.length === 0) return '';
  const suspicious = tools.filter((tool) => tool.suspicious);
  const withheld = tools.filter((tool) => tool.withheld);
  const unscanned = tools.filter(({ findings }) => findings.some(({ rule }) => rule === 'not-scanned'));
  return [
    heading(style, 'Review'),
    `${operations(tools)}.\n`,
    ...(unscanned.length > 0 ? [`${counted(unscanned.length, 'tool')} still being scanned.\n`] : []),
    suspicious.length === 0
      ? 'No text looks like an instruction to the model.\n'
      : `${style.colors.yellow('!')} ${counted(suspicious.length, 'tool has', 'tools have')} text that looks like an instruction to the model:\n`,
    ...suspicious.slice(0, MAX_SHOWN).flatMap(findingLines),
    ...(withheld.length > 0
      ? [
          `${counted(withheld.length, 'tool is', 'tools are')} withheld from agents. Accept all of them with: mcpproxy upstream approve ${visibleLine(name)}; one with: mcpproxy tools approve ${visibleLine(withheld[0]!.name)}\n`,
        ]
      : []),
  ].join('');
}

function operations(tools: readonly JudgedTool[]): string {
  const parts = OPERATION_TYPES.map((operation) => ({
    operation,
    count: tools.filter((tool) => tool.operation.verdict === operation).length,
  })).filter(({ count }) => count > 0);
  const silent = tools.filter(({ book }) => book.hinted === null).length;
  const unsaid = silent > 0 ? `; ${silent} without hints` : '';
  return `${counted(tools.length, 'tool')}: ${parts.map(({ operation, count }) => `${count} ${operation}`).join(', ')}${unsaid}`;
}

const findingLines = ({ name, findings }: JudgedTool): string[] =>
  findings.map(
    ({ path, why, excerpt }) =>
      `${visibleLine(`  ${name} ${path}: ${why}`)}\n${excerpt === '' ? '' : `    ${visibleLine(excerpt)}\n`}`,
  );
