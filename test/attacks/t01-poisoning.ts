import type { JudgedTool, ToolDefinition } from '../../src/contract/tool.ts';
import { openRawMcp } from '../e2e/raw-mcp.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { readCorpus } from './corpus.ts';
import { cliOf, startOf } from './scaled.ts';
import { toldServer, toolNamed, type Script, type ToldServer } from './told-server.ts';

const schema = (properties: Record<string, unknown>) => ({ type: 'object', properties });

/** Every place of a definition that a model reads. */
const FIELDS: Record<string, (text: string) => Partial<ToolDefinition>> = {
  description: (text) => ({ description: text }),
  title: (text) => ({ title: text }),
  'title among the annotations': (text) => ({ annotations: { title: text } }),
  'name of a parameter': (text) => ({
    inputSchema: schema({ [text.replaceAll(' ', '_')]: { type: 'string' } }),
  }),
  'description of a parameter': (text) => ({
    inputSchema: schema({ a: { type: 'string', description: text } }),
  }),
  'title of a parameter': (text) => ({ inputSchema: schema({ a: { type: 'string', title: text } }) }),
  default: (text) => ({ inputSchema: schema({ a: { type: 'string', default: text } }) }),
  enum: (text) => ({ inputSchema: schema({ a: { enum: ['x', text] } }) }),
  example: (text) => ({ inputSchema: schema({ a: { type: 'string', examples: [text] } }) }),
  'deep inside': (text) => ({
    inputSchema: schema({ a: schema({ b: { items: schema({ c: { $comment: text } }) } }) }),
  }),
  'output schema': (text) => ({ outputSchema: schema({ a: { type: 'string', description: text } }) }),
  'unknown field': (text) => ({ 'x-note': text }),
  _meta: (text) => ({ _meta: { note: text } }),
};
const LEAST_FOUND = 0.9;
const MOST_FALSE = 0.02;

/** Definitions that speak to the model. */
export const poisoning: Attack = {
  threat: 'T01',
  title: 'poisoned definitions, field by field',
  async run(tally, scale) {
    const { poisoned, benign } = readCorpus();
    const every = scale === 'full' ? 1 : 4;
    const texts = {
      poisoned: poisoned.map(({ text }) => text).filter((_, i) => i % every === 0),
      benign: benign.map(({ text }) => text).filter((_, i) => i % every === 0),
    };
    const up = toldServer(scriptOf(texts));
    const proxy = await startOf(scale)({
      config: { mcpServers: { up: up.config }, scanner: 'quarantine', quarantine: 'warn' },
    });
    try {
      await perField(proxy, tally, texts);
      await instructions({ proxy, tally, up }, texts.poisoned);
      await listings({ proxy, tally, up }, scale);
    } finally {
      await proxy.dispose();
      up.remove();
    }
    // In the suite this has a test of its own: discovery-quarantine.test.ts.
    if (scale === 'full') await unseen(tally, scale);
  },
};

type Texts = Record<'poisoned' | 'benign', string[]>;

/** One tool for each text in each field. Whether it is meant ill stands in the name only. */
function scriptOf(texts: Texts): Script {
  const tools = Object.values(FIELDS).flatMap((place, field) =>
    (['poisoned', 'benign'] as const).flatMap((label) =>
      texts[label].map((text, i) =>
        toolNamed(`${label}_${field}_${i}`, { description: 'A small tool.', ...place(text) }),
      ),
    ),
  );
  return { tools };
}

async function perField(proxy: RunningProxy, tally: Tally, texts: Texts): Promise<void> {
  const expected = Object.keys(FIELDS).length * (texts.poisoned.length + texts.benign.length);
  const tools = await poll('the scan of everything', proxy.stderr, async () => {
    const all = await everyTool(proxy);
    // What waits for the scanner is withheld too, and nothing that it has found yet.
    const isThrough = all.every(({ withheld, suspicious }) => withheld === suspicious);
    return all.length === expected && isThrough ? all : undefined;
  });
  const share = (label: string, field: number) => {
    const of = tools.filter(({ name }) => name.startsWith(`up:${label}_${field}_`));
    return { found: of.filter(({ withheld }) => withheld).length, of: of.length };
  };
  const fields = Object.keys(FIELDS).map((field, i) => ({
    field,
    ...share('poisoned', i),
    false: share('benign', i).found,
  }));
  for (const { field, found, of, false: alarms } of fields) {
    tally.held(found / of >= LEAST_FOUND, `${field}: ${found} of ${of} found`);
    tally.held(alarms / texts.benign.length <= MOST_FALSE, `${field}: ${alarms} false alarms`);
  }
  const sum = (pick: (row: (typeof fields)[number]) => number) =>
    fields.reduce((total, row) => total + pick(row), 0);
  tally.figure(`${sum(({ found }) => found)} of ${sum(({ of }) => of)} found in ${fields.length} fields`);
  tally.figure(`${sum((row) => row.false)} of ${texts.benign.length * fields.length} false alarms`);
}

async function everyTool({ rest }: RunningProxy): Promise<JudgedTool[]> {
  const all: JudgedTool[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await rest.request('listTools', { server: 'up', limit: 1000, ...(cursor && { cursor }) });
    all.push(...page.tools);
    cursor = page.next_cursor;
  }
  return all;
}

interface Ground {
  proxy: RunningProxy;
  tally: Tally;
  up: ToldServer;
}

/** They never reach an agent; that somebody tries is worth a record. */
async function instructions({ proxy, tally, up }: Ground, texts: string[]): Promise<void> {
  const told = async () => {
    const { records } = await proxy.rest.request('listActivity', {
      type: 'tool_change',
      server: 'up',
      limit: 100,
    });
    return records.filter(({ metadata }) => metadata.change === 'suspicious_instructions').length;
  };
  for (const [i, text] of texts.slice(0, 3).entries()) {
    up.say({ instructions: text, tools: [toolNamed('plain')] });
    await proxy.rest.request('restartServer', { name: 'up' });
    const count = await poll('the record', proxy.stderr, async () =>
      (await told()) > i ? await told() : undefined,
    ).catch(told);
    tally.held(count === i + 1, `instructions of a server: ${count} records`);
  }
}

/** Where somebody looks at a definition, hidden characters are seen. */
async function listings({ proxy, tally, up }: Ground, scale: Scale): Promise<void> {
  const tags = [...'hidden'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');
  const name = 'ze\u200bro';
  up.say({ tools: [toolNamed(name, { description: `Plain.${tags}\u202e\u001b[8m` }), toolNamed('plain')] });
  await poll('the listing', proxy.stderr, () =>
    proxy.rest.request('getTool', { name: `up:${name}` }).catch(() => undefined),
  );
  const { place } = proxy;
  const commands = [['show', `up:${name}`], ['list'], ['list', '--withheld'], ['list', '--suspicious']];
  for (const command of scale === 'full' ? commands : commands.slice(0, 1)) {
    const { stdout } = await cliOf(scale)(['tools', ...command, ...place], { home: proxy.home });
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    const hidden =
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]|[\u{e0000}-\u{e007f}]/u.test(
        stdout,
      );
    tally.held(!hidden, `tools ${command[0]}: hidden characters are not shown`);
    tally.held(stdout.includes('\\u{200b}'), `tools ${command[0]}: does not show the name`);
  }
}

/** Whatever the scanner thinks: with `quarantine: "new"` nothing of a new server is there before it is approved. */
async function unseen(tally: Tally, scale: Scale): Promise<void> {
  const up = toldServer({ tools: [toolNamed('zebra', { description: 'Looks up a zebra.' })] });
  const proxy = await startOf(scale)({ config: { quarantine: 'new', scanner: 'off' } });
  try {
    await proxy.rest.request('addServer', { body: { name: 'late', config: up.config } });
    await poll('the tool', proxy.stderr, () =>
      proxy.rest.request('getTool', { name: 'late:zebra' }).catch(() => undefined),
    );
    const raw = await openRawMcp(proxy);
    const ask = async (tool: string, args: object) => (await raw.call(tool, JSON.stringify(args))).text;
    const call = () =>
      ask('call_tool_destructive', { name: 'late:zebra', args: {}, intent_operation_type: 'destructive' });
    const find = () => ask('retrieve_tools', { query: 'zebra' });
    tally.held(!(await find()).includes('late:zebra'), 'a new tool is found');
    tally.held((await call()).includes('TOOL_WITHHELD'), 'a new tool is called');
    tally.held(up.executions().length === 0, 'a new tool has run');
    await proxy.rest.request('approveTool', { name: 'late:zebra' });
    tally.held((await find()).includes('late:zebra'), 'an approved tool is not found');
    await call();
    tally.held(up.executions().length === 1, 'an approved tool does not run');
  } finally {
    await proxy.dispose();
    up.remove();
  }
}
