import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../contract/tool.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

const MAX_PAGES = 1000;
const MAX_TOOLS = 100_000;
const MAX_NAME = 256;
const MAX_CHARACTERS = 64 * 1024 * 1024;

export interface ToolList {
  tools: ToolDefinition[];
  /** Equal for equal lists, so that an unchanged list can be skipped. */
  digest: string;
  /** What was left out or corrected, and why. */
  complaints: string[];
  dropped: number;
}

/** All pages of `tools/list`, unchanged except for tools that cannot be called. */
export async function listTools(
  page: (cursor: string | undefined) => Promise<JsonObject>,
): Promise<ToolList> {
  const list = new ListBuilder();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let count = 0; ; count++) {
    if (count >= MAX_PAGES) return list.stop(`the list has more than ${MAX_PAGES} pages`);
    const { tools, nextCursor } = await page(cursor);
    if (!Array.isArray(tools)) return list.stop('a page of the list has no array "tools"');
    for (const tool of tools as unknown[]) if (!list.add(tool)) return list.done();
    if (typeof nextCursor !== 'string' || nextCursor === '') return list.done();
    if (cursors.has(nextCursor)) return list.stop('the list repeats a cursor');
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
}

class ListBuilder {
  readonly #tools: ToolDefinition[] = [];
  readonly #names = new Set<string>();
  readonly #hash = createHash('sha256');
  readonly #complaints: string[] = [];
  #characters = 0;
  #dropped = 0;

  /** False: the list is full. */
  add(raw: unknown): boolean {
    const why = this.#unusable(raw);
    if (why !== undefined) {
      this.#dropped++;
      this.#complain(why);
      return true;
    }
    const tool = this.#corrected(raw as JsonObject & { name: string });
    const text = JSON.stringify(tool);
    this.#characters += text.length;
    if (this.#tools.length >= MAX_TOOLS || this.#characters > MAX_CHARACTERS) {
      this.#complain(`the list is cut after ${this.#tools.length} tools`);
      return false;
    }
    this.#hash.update(text).update('\n');
    this.#names.add(tool.name);
    this.#tools.push(tool);
    return true;
  }

  stop(why: string): ToolList {
    this.#complain(why);
    return this.done();
  }

  done(): ToolList {
    return {
      tools: this.#tools,
      digest: this.#hash.digest('hex'),
      complaints: this.#complaints,
      dropped: this.#dropped,
    };
  }

  #unusable(raw: unknown): string | undefined {
    if (!isObject(raw) || typeof raw.name !== 'string' || raw.name === '')
      return 'a tool without a name is left out';
    const name = JSON.stringify(raw.name.slice(0, 64));
    if (raw.name.length > MAX_NAME)
      return `tool ${name}… is left out: its name is longer than ${MAX_NAME} characters`;
    if (/[\u0000-\u001f\u007f-\u009f]/.test(raw.name))
      return `tool ${name} is left out: its name has control characters`;
    if (this.#names.has(raw.name)) return `tool ${name} is left out: the server lists the name twice`;
    return undefined;
  }

  /** Removes fields of the wrong type, because all other code relies on their types. */
  #corrected(raw: JsonObject & { name: string }): ToolDefinition {
    const tool: JsonObject = { ...raw };
    for (const field of ['title', 'description'])
      if (field in tool && typeof tool[field] !== 'string') this.#remove(tool, field);
    for (const field of ['outputSchema', 'annotations'])
      if (field in tool && !isObject(tool[field])) this.#remove(tool, field);
    if (!isObject(tool.inputSchema)) {
      this.#complain(`tool ${JSON.stringify(raw.name)} has no inputSchema; any arguments are passed on`);
      tool.inputSchema = { type: 'object' };
    }
    return tool as ToolDefinition;
  }

  #remove(tool: JsonObject, field: string): void {
    this.#complain(`tool ${JSON.stringify(tool.name)} has a malformed ${field}, which is ignored`);
    delete tool[field];
  }

  #complain(text: string): void {
    if (this.#complaints.length < 20) this.#complaints.push(text);
  }
}
