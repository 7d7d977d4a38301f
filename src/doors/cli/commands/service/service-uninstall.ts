import { hint, print, type Context } from '../../context.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { commandLines, findPlan, readOwnFile, runAll } from './find-target.ts';
import type { InstallFlags } from './service-install.ts';

export async function runUninstall(context: Context, flags: InstallFlags): Promise<void> {
  const plan = await findPlan(context, flags);
  const service = await context.runtime.service();
  const isInstalled = (await readOwnFile(context, plan)) !== undefined;
  const commands = [...plan.prepare, ...plan.uninstall, ...plan.after_uninstall];
  if (flags.dryRun)
    return print(
      context,
      { file: plan.file, installed: isInstalled, commands },
      () => `Would remove ${visibleLine(plan.file)} and run:\n${commandLines(commands)}`,
    );
  if (isInstalled) {
    for (const command of plan.prepare) await service.run(command);
    // launchd has ended and forgotten the service by now.
    if (plan.manager !== 'launchd') await runAll(context, plan.uninstall);
    await service.remove(plan.file);
    await runAll(context, plan.after_uninstall);
  }
  await print(context, { file: plan.file, removed: isInstalled }, () =>
    isInstalled ? `Removed the service ${visibleLine(plan.file)}\n` : 'The service is not installed.\n',
  );
  hint(context, `Data and configuration are unchanged: ${visibleLine(plan.data_dir)}`);
}
