import { ProxyError } from '../../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import type { Place } from '../../place.ts';
import type { ServiceCommand, ServiceFacts } from '../../service-runtime.ts';
import { planService, type ServicePlan } from './service-plan.ts';
import { MARK, STATE_DIR, type ServiceScope } from './service-target.ts';

export interface TargetFlags {
  scope: ServiceScope;
  runAs?: string;
}

export async function findPlan(
  { runtime, place }: Context,
  { scope, runAs }: TargetFlags,
): Promise<ServicePlan> {
  const facts = await (await runtime.service()).facts(place);
  if (scope === 'system') checkPlace(place, facts, runAs);
  return planService({ ...facts, scope, ...(runAs !== undefined && { runAs }) });
}

/** With sudo, the default data directory would be that of root. */
function checkPlace(place: Place, { platform }: ServiceFacts, runAs: string | undefined): void {
  if (runAs !== undefined && place.dataDir === undefined)
    throw new ProxyError(
      'USAGE',
      '--run-as needs --data-dir: a directory that exists and belongs to that user',
    );
  const isElsewhere = place.dataDir !== undefined || place.config !== undefined;
  if (platform === 'linux' && runAs === undefined && isElsewhere)
    throw new ProxyError(
      'USAGE',
      `A system service with a user of its own keeps its files in ${STATE_DIR}. For --data-dir or --config, name their owner with --run-as USER`,
    );
}

/** A file of this name that somebody else wrote stays as it is. */
export async function readOwnFile({ runtime }: Context, { file }: ServicePlan): Promise<string | undefined> {
  const text = await (await runtime.service()).read(file);
  if (text !== undefined && !text.includes(MARK))
    throw new ProxyError(
      'USAGE',
      `${file} exists and was not written by this command. Move it away, then run the command again`,
      { file },
    );
  return text;
}

/** Runs commands one after the other; the first that fails ends it. */
export async function runAll({ runtime }: Context, commands: readonly ServiceCommand[]): Promise<void> {
  const service = await runtime.service();
  for (const command of commands) {
    const { code, text } = await service.run(command);
    if (code !== 0)
      throw new ProxyError(
        'INTERNAL',
        `"${command.join(' ')}" failed with code ${code}: ${text.trim() || 'no output'}. Fix the cause, then run the command again`,
        { command: [...command], exit_code: code },
      );
  }
}

export const commandLines = (commands: readonly ServiceCommand[]) =>
  commands.map((command) => `  ${command.join(' ')}\n`).join('');
