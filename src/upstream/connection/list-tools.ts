import type { ToolDefinition } from '../../contract/tool.ts';
import { isObject } from '../../json/index.ts';
import { isText, listItems, withoutMalformed, type ListKind, type ReadPage } from './list-items.ts';

const MAX_NAME = 256;

export interface ToolList {
  tools: ToolDefinition[];
  /** Equal for equal lists, so that an unchanged list can be skipped. */
  digest: string;
  /** What was left out or corrected, and why. */
  complaints: string[];
  dropped: number;
}

const FIELDS = { title: isText, description: isText, outputSchema: isObject, annotations: isObject };

const TOOLS: ListKind = {
  field: 'tools',
  noun: 'tool',
  key: 'name',
  maxKey: MAX_NAME,
  corrected(raw, complain) {
    const name = JSON.stringify(raw.name);
    const tool = withoutMalformed(raw, FIELDS, (field) =>
      complain(`tool ${name} has a malformed ${field}, which is ignored`),
    );
    if (!isObject(tool.inputSchema)) {
      complain(`tool ${name} has no inputSchema; any arguments are passed on`);
      tool.inputSchema = { type: 'object' };
    }
    return tool;
  },
};

/** All pages of `tools/list`, unchanged except for tools that cannot be called. */
export async function listTools(page: ReadPage): Promise<ToolList> {
  const { items, ...list } = await listItems(TOOLS, page);
  return { tools: items as ToolDefinition[], ...list };
}
