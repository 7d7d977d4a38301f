import { visibleLine } from '../../../../lib/visible-text.ts';
import { print, type Context } from '../../context.ts';
import { fields } from '../../output/table.ts';
import { findPlan, type TargetFlags } from './find-target.ts';
import type { ServicePlan } from './service-plan.ts';
import { MARK } from './service-target.ts';

interface ServiceStatus {
  manager: ServicePlan['manager'];
  scope: ServicePlan['scope'];
  file: string;
  state: 'running' | 'stopped' | 'not installed';
  /** False if "service install" would write another file, for example after an update of Node.js. */
  up_to_date: boolean;
  data_dir: string;
  pid: number | null;
  url: string | null;
  logs: string;
}

/** The exit code for "no daemon is running". */
const NOT_RUNNING = 7;

export async function runStatus(context: Context, flags: TargetFlags): Promise<number> {
  const report = await statusOf(context, await findPlan(context, flags));
  await print(context, report, () => showStatus(context, report));
  return report.state === 'running' ? 0 : NOT_RUNNING;
}

export async function statusOf({ runtime }: Context, plan: ServicePlan): Promise<ServiceStatus> {
  const { manager, scope, file, data_dir, logs } = plan;
  const service = await runtime.service();
  const text = await service.read(file);
  const isInstalled = text?.includes(MARK) === true;
  const isActive = isInstalled && (await service.run(plan.is_active)).code === 0;
  const daemon = isActive ? await service.daemon(data_dir) : undefined;
  // launchd and the Task Scheduler also have services that do not run.
  const isRunning = isActive && (manager === 'systemd' || daemon !== undefined);
  const stopped = isInstalled ? 'stopped' : 'not installed';
  return {
    manager,
    scope,
    file,
    state: isRunning ? 'running' : stopped,
    up_to_date: text === plan.text,
    data_dir,
    ...processOf(daemon),
    logs,
  };
}

const processOf = (daemon: { pid: number; url?: string } | undefined) => ({
  pid: daemon?.pid ?? null,
  url: daemon?.url ?? null,
});

export function showStatus({ style }: Context, report: ServiceStatus): string {
  const { green, yellow } = style.colors;
  const isInstalled = report.state !== 'not installed';
  return fields(style, [
    ['Service', { text: report.state, paint: report.state === 'running' ? green : yellow }],
    ['Manager', `${report.manager}, ${report.scope}`],
    ['File', visibleLine(report.file)],
    [
      'Update',
      isInstalled && !report.up_to_date
        ? { text: 'the file differs; run: mcpproxy service install', paint: yellow }
        : undefined,
    ],
    ['Address', report.url ? visibleLine(report.url) : undefined],
    ['Process', report.pid ?? undefined],
    ['Data', visibleLine(report.data_dir)],
    ['Log', isInstalled ? visibleLine(report.logs) : undefined],
  ]);
}
