import type { Answer, Conversation, OfferedTool, Turn } from './conversation.ts';

/** A tool call that the model makes when the prompt names it. */
export interface ScriptedCall {
  /** The end of the tool's name: each client puts a prefix of its own before it. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type Script = Readonly<Record<string, ScriptedCall>>;

/** What the model does next, and which step of the prompt this belongs to. */
export interface Decision {
  readonly answer: Answer;
  readonly step?: string;
  /** True if the proxy said that the call is pending, so that the same call is made again. */
  readonly again?: boolean;
}

/** A user writes `drive: read held read-again`; the model makes these calls, one after the other. */
export function promptFor(steps: readonly string[]): string {
  return `drive: ${steps.join(' ')}`;
}

const PROMPT = /\bdrive: ([a-z-]+(?: [a-z-]+)*)/;
const MOST_REPEATS = 5;

/** What the model says at the end of the script. */
export const FINISHED = 'The script is finished.';

/** How far the script of the last prompt is: its results so far by step, and what comes next. */
export interface Progress {
  readonly done: ReadonlyMap<string, string>;
  readonly next: string | undefined;
  /** True if the last result said that the call is pending. */
  readonly again: boolean;
}

/** The proxy's answer to a call that waits for a person; some clients pass on its text alone, without the code. */
const PENDING = /APPROVAL_PENDING|repeat the identical call/i;

/** Undefined if no prompt asks for anything, as in the requests that clients make for titles and summaries. */
export function progressOf(turns: readonly Turn[], script: Script): Progress | undefined {
  const start = turns.findLastIndex(({ by, text }) => by === 'user' && PROMPT.test(text));
  if (start < 0) return undefined;
  const steps = PROMPT.exec(turns[start]!.text)![1]!
    .split(' ')
    .filter((step) => step in script);
  const results = turns.slice(start + 1).filter(({ by }) => by === 'tool');
  const done = new Map<string, string>();
  let repeats = 0;
  for (const { text } of results) {
    const step = steps[done.size];
    if (step === undefined) break;
    // A pending call is not done: the model repeats the identical call, as the text tells it to.
    if (PENDING.test(text) && repeats < MOST_REPEATS) repeats++;
    else {
      done.set(step, text);
      repeats = 0;
    }
  }
  return { done, next: steps[done.size], again: repeats > 0 };
}

/** The next answer follows from the conversation alone. */
export function decide({ tools, turns }: Conversation, script: Script): Decision {
  const progress = tools.length === 0 ? undefined : progressOf(turns, script);
  if (!progress) return { answer: { text: 'Nothing to do.' } };
  const { next, again } = progress;
  if (next === undefined) return { answer: { text: FINISHED } };
  const { tool: ending, args } = script[next]!;
  const tool = findTool(tools, ending);
  if (!tool) return { answer: { text: `The tool ${ending} was not offered.` }, step: next };
  // Every id must be new: Qwen Code answers a repeated one with its earlier result.
  const call = { id: `${next}_${turns.length}`, tool, args: tool.takesIntent ? nested(args) : args };
  return { answer: { call }, step: next, again };
}

/** A model fills in the schema that it is shown. */
function nested(args: ScriptedCall['args']): ScriptedCall['args'] {
  const entries = Object.entries(args);
  const isIntent = ([name]: [string, unknown]) => name.startsWith('intent_');
  const intent = entries.filter(isIntent).map(([name, value]) => [name.slice('intent_'.length), value]);
  return {
    ...Object.fromEntries(entries.filter((entry) => !isIntent(entry))),
    intent: Object.fromEntries(intent),
  };
}

function findTool(tools: readonly OfferedTool[], ending: string): OfferedTool | undefined {
  return tools.find(({ name }) => name === ending) ?? tools.find(({ name }) => name.endsWith(ending));
}
