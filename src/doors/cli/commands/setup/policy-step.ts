import { isObject } from '../../../../json/index.ts';
import { counted } from '../../../../lib/visible-text.ts';
import type { Context, Reached } from '../../context.ts';
import type { StepDone, StepInput } from './step.ts';

type Rule = 'write' | 'destructive';

/** Which calls wait for a person. */
export const PRESETS: Readonly<Record<string, { title: string; require: Rule[] }>> = {
  watch: { title: 'watch only: record every call, hold none', require: [] },
  destructive: { title: 'ask before destructive calls', require: ['destructive'] },
  changes: { title: 'ask before every change', require: ['write', 'destructive'] },
};
const DEFAULT = 'destructive';
/** For tools without annotations: the verdict of the proxy counts. */
const UNANNOTATED = 'infer';
const WINDOW_MS = 30 * 86_400_000;
const REPLAY_MS = 60_000;
const NO_CALLS = 'no calls are recorded yet';

export async function policyStep(
  context: Context,
  reached: Reached,
  { flags, state }: StepInput,
): Promise<StepDone> {
  const now = await currentPolicy(reached);
  const effects = await effectsOf(context, reached);
  const chosen = flags.policy ?? (await chosenPreset(context, { effects, now, yes: flags.yes === true }));
  const isEmpty = Object.values(effects).every((effect) => effect === NO_CALLS);
  const listed = Object.entries(PRESETS).map(
    ([name, { title }]) => `${name === chosen ? '*' : ' '} ${title}${isEmpty ? '' : `: ${effects[name]}`}`,
  );
  if (chosen === undefined) return { step: 'Policy', lines: ['as it is'], result: { policy: null, effects } };
  const { require } = PRESETS[chosen]!;
  const isSame = JSON.stringify(now) === JSON.stringify({ require, unannotated: UNANNOTATED });
  if (!isSame) {
    state.policy ??= await policyBefore(context, now);
    await context.runtime.setup.write(context.place, state);
    await reached.request('updateConfig', {
      body: { approvals: { require }, intent_declaration: { unannotated: UNANNOTATED } },
    });
  }
  return {
    step: 'Policy',
    lines: [
      ...listed,
      ...(isEmpty
        ? [`${NO_CALLS}; later, "mcpproxy approvals replay" shows what a policy would have done`]
        : []),
      'tools without annotations are judged by what they seem to do (unannotated: "infer")',
    ],
    result: { policy: chosen, changed: !isSame, effects },
  };
}

/** What --undo puts back. Null: the file did not have the key. */
async function policyBefore({ runtime, place }: Context, now: Policy): Promise<Policy> {
  const file = await runtime.setup.fileSettings(place);
  if (file === undefined) return now;
  const { approvals, intent_declaration: intent } = file;
  return {
    require: (isObject(approvals) ? approvals.require : undefined) ?? null,
    unannotated: (isObject(intent) ? intent.unannotated : undefined) ?? null,
  };
}

/** The change of the configuration that puts a policy back. A key that has nothing else goes with it. */
export function policyBody(
  { require, unannotated }: Policy,
  { approvals, intent_declaration: intent }: Record<string, unknown> = {},
) {
  const isAlone = (group: unknown) => isObject(group) && Object.keys(group).length <= 1;
  return {
    approvals: require === null && isAlone(approvals) ? null : { require },
    intent_declaration: unannotated === null && isAlone(intent) ? null : { unannotated },
  };
}

interface Policy {
  require: unknown;
  unannotated: unknown;
}

async function currentPolicy({ request }: Reached): Promise<Policy> {
  const { settings } = await request('getConfig', {});
  const { approvals, intent_declaration: intent } = settings;
  return {
    require: isObject(approvals) ? approvals.require : [],
    unannotated: isObject(intent) ? intent.unannotated : 'trust',
  };
}

/** What each preset would have done with the recorded calls. */
async function effectsOf({ io }: Context, { request }: Reached): Promise<Record<string, string>> {
  const effects: Record<string, string> = {};
  for (const [name, { require }] of Object.entries(PRESETS)) {
    const body = { since: new Date(io.now() - WINDOW_MS).toISOString(), require };
    const { calls, ask } = await request('replayApprovals', { body }, REPLAY_MS);
    effects[name] = calls === 0 ? NO_CALLS : `${ask} of ${counted(calls, 'recorded call')} would have waited`;
  }
  return effects;
}

interface Choice {
  effects: Record<string, string>;
  now: { require: unknown };
  yes: boolean;
}

/** A policy that somebody has made already is not replaced without a question. */
async function chosenPreset({ io }: Context, { effects, now, yes }: Choice): Promise<string | undefined> {
  const present = JSON.stringify(now.require);
  const known = Object.keys(PRESETS).find((name) => JSON.stringify(PRESETS[name]!.require) === present);
  const isOwn = Array.isArray(now.require) && now.require.length > 0;
  if (yes) return isOwn ? known : DEFAULT;
  const preferred = isOwn ? known : DEFAULT;
  const rows = Object.entries(PRESETS).map(([name, { title }]) => ({
    name,
    label: effects[name] === NO_CALLS ? title : `${title}: ${effects[name]}`,
    isChosen: name === preferred,
  }));
  // Enter leaves rules of somebody's own as they are, like --yes.
  const own =
    preferred === undefined
      ? [{ name: undefined, label: 'your own rules, as they are', isChosen: true }]
      : [];
  const all = [...own, ...rows];
  const chosen = await io.select({
    question: 'Which calls wait for a person? (Esc: leave it as it is)',
    rows: all,
    many: false,
  });
  return chosen === undefined ? undefined : all[chosen[0]!]!.name;
}
