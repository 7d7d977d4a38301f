import { effectiveOperation } from '../../approval/index.ts';
import type { Caller } from '../../contract/call.ts';
import { exactValue } from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { CallContext } from '../context.ts';
import type { Origin } from '../flows/flows.ts';
import type { RoadParts } from '../step.ts';
import type { Step } from '../step.ts';

/** Detects a change that carries data which another server has just returned. Reads are not examined: they follow links. */
export const flows: Step = {
  name: 'flows',
  does: 'finds data of another server in the arguments of a change, or in the answers that it brings: a warning, or a reason to require an approval',
  refusals: [],
  run(call, parts) {
    const { args, continuation } = call;
    const answers = continuation?.inputResponses;
    call.flow = flowIn(call, parts, { arguments: args });
    if (answers !== undefined) call.flow ??= flowIn(call, parts, { answers: exactValue(answers) });
  },
};

/** A sentence about data of another server in what goes to a server; undefined: there is none. */
export function flowIn(
  { tool, operation, caller, notes }: CallContext,
  { config, flows: known }: RoadParts,
  sent: { arguments: unknown } | { answers: unknown },
): string | undefined {
  if (config().flows === 'off' || effectiveOperation(tool.operation, operation) === 'read') return undefined;
  const [what, value] = 'answers' in sent ? ['answers', sent.answers] : ['arguments', sent.arguments];
  const origins = known.findOrigins(tool.server, clientOf(caller), value);
  if (origins.length === 0) return undefined;
  notes.flows = origins;
  return `the ${what} carry what came from ${origins.map(shown).join(' and ')}`;
}

/** After a call: remembers what came back, for later changes of the same client. */
export function rememberAnswer(
  call: CallContext,
  { config, flows: known }: RoadParts,
  answer: unknown,
): void {
  const { tool, args, caller, record } = call;
  if (config().flows === 'off' || isReader(caller)) return;
  const client = clientOf(caller);
  known.addResult({ server: tool.server, tool: tool.tool, record: record!.id, client, args, result: answer });
}

const shown = ({ server, tool, record }: Origin) =>
  `'${visibleLine(`${server}:${tool}`)}' (record ${record})`;

const clientOf = ({ token, principal }: Caller) => token?.id ?? principal;

/** A token that can only read cannot carry data anywhere. */
function isReader({ token }: Caller): boolean {
  const operations = token?.scope.operations;
  return operations !== undefined && operations.every((operation) => operation === 'read');
}
