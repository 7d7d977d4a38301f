import { ProxyError } from '../../../../contract/errors.ts';
import { hint, print, type Context } from '../../context.ts';
import { commandLines, findPlan, readOwnFile, runAll, type TargetFlags } from './find-target.ts';
import type { ServicePlan } from './service-plan.ts';
import { showStatus, statusOf } from './service-status.ts';

export interface InstallFlags extends TargetFlags {
  dryRun?: true;
}

export async function runInstall(context: Context, flags: InstallFlags): Promise<number | void> {
  const plan = await findPlan(context, flags);
  if (flags.dryRun) {
    await print(context, plan, () => plan.text);
    return hint(context, `Would write this to ${plan.file}, then run:\n${commandLines(plan.install)}`);
  }
  const service = await context.runtime.service();
  const before = await readOwnFile(context, plan);
  if (before === undefined) await checkDataDir(context, plan);
  if (plan.scope === 'user') await service.makeDataDir(plan.data_dir);
  for (const command of plan.prepare) await service.run(command);
  await service.write(plan.file, plan.text);
  await runAll(context, plan.install);
  const url = await service.untilListening(plan.data_dir);
  if (url === undefined)
    throw new ProxyError(
      'NO_DAEMON',
      `The service was installed, but it does not listen. Read its log: ${plan.logs}`,
      { file: plan.file },
    );
  const report = await statusOf(context, plan);
  await print(context, report, () => showStatus(context, report));
  if (plan.manager === 'systemd' && plan.scope === 'user')
    hint(context, 'It starts when you log in. To start it at boot, run: loginctl enable-linger');
}

/** A daemon that somebody started by hand would keep the service from starting. */
async function checkDataDir({ runtime }: Context, { data_dir: dir, scope }: ServicePlan): Promise<void> {
  const daemon = await (await runtime.service()).daemon(dir);
  if (!daemon) return;
  const stop = scope === 'user' ? '"mcpproxy stop"' : `kill ${daemon.pid}`;
  throw new ProxyError(
    'DATA_DIR_IN_USE',
    `Process ${daemon.pid} uses ${dir} already. Stop it (${stop}), then run the command again`,
    { dir, pid: daemon.pid },
  );
}
