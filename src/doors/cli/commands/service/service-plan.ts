import { ProxyError } from '../../../../contract/errors.ts';
import type { ServiceCommand } from '../../service-runtime.ts';
import { launchdLog, launchdPlist } from './launchd-plist.ts';
import { scheduledTask, taskLog } from './scheduled-task.ts';
import {
  dataDirOf,
  hasOwnUser,
  SERVICE,
  serveArgs,
  type ServiceScope,
  type ServiceTarget,
} from './service-target.ts';
import { systemdUnit } from './systemd-unit.ts';

/** The file of the service, and the commands that make its manager read it. */
export interface ServicePlan {
  manager: 'systemd' | 'launchd' | 'task-scheduler';
  scope: ServiceScope;
  file: string;
  text: string;
  data_dir: string;
  /** Ends what runs under this name, if it does. */
  prepare: ServiceCommand[];
  /** After the file is written, one after the other. */
  install: ServiceCommand[];
  /** Before the file is removed, and once it is gone. */
  uninstall: ServiceCommand[];
  after_uninstall: ServiceCommand[];
  /** Exits with code 0 if the manager has the service; systemd: if it runs. */
  is_active: ServiceCommand;
  /** Where its log is, as a command for people. */
  logs: string;
}

export function planService(target: ServiceTarget): ServicePlan {
  checkTarget(target);
  if (target.platform === 'darwin') return planLaunchd(target);
  if (target.platform === 'win32') return planTask(target);
  return planSystemd(target);
}

function planSystemd(target: ServiceTarget): ServicePlan {
  const unit = `${SERVICE}.service`;
  const isUser = target.scope === 'user';
  const systemctl = (...args: string[]): ServiceCommand => [
    'systemctl',
    ...(isUser ? ['--user'] : []),
    '--no-pager',
    ...args,
  ];
  return {
    manager: 'systemd',
    scope: target.scope,
    file: isUser ? `${target.home}/.config/systemd/user/${unit}` : `/etc/systemd/system/${unit}`,
    text: systemdUnit(target),
    data_dir: dataDirOf(target),
    prepare: [],
    install: [systemctl('daemon-reload'), systemctl('enable', unit), systemctl('restart', unit)],
    uninstall: [systemctl('disable', '--now', unit)],
    after_uninstall: [systemctl('daemon-reload')],
    is_active: systemctl('is-active', '--quiet', unit),
    logs: `journalctl ${isUser ? '--user-unit' : '--unit'} ${SERVICE}`,
  };
}

function planLaunchd(target: ServiceTarget): ServicePlan {
  const isUser = target.scope === 'user';
  const domain = isUser ? `gui/${target.uid}` : 'system';
  const folder = isUser ? `${target.home}/Library/LaunchAgents` : '/Library/LaunchDaemons';
  const file = `${folder}/${SERVICE}.plist`;
  const bootout: ServiceCommand = ['launchctl', 'bootout', `${domain}/${SERVICE}`];
  return {
    manager: 'launchd',
    scope: target.scope,
    file,
    text: launchdPlist(target),
    data_dir: dataDirOf(target),
    prepare: [bootout],
    install: [['launchctl', 'bootstrap', domain, file]],
    uninstall: [bootout],
    after_uninstall: [],
    is_active: ['launchctl', 'print', `${domain}/${SERVICE}`],
    logs: `tail -f '${launchdLog(target)}'`,
  };
}

function planTask(target: ServiceTarget): ServicePlan {
  const file = `${dataDirOf(target)}\\${SERVICE}-task.xml`;
  const task = ['/TN', SERVICE];
  const end: ServiceCommand = ['schtasks', '/End', ...task];
  return {
    manager: 'task-scheduler',
    scope: target.scope,
    file,
    text: scheduledTask(target),
    data_dir: dataDirOf(target),
    prepare: [end],
    install: [
      ['schtasks', '/Create', ...task, '/XML', file, '/F'],
      ['schtasks', '/Run', ...task],
    ],
    uninstall: [['schtasks', '/Delete', ...task, '/F']],
    after_uninstall: [],
    is_active: ['schtasks', '/Query', ...task],
    logs: `type "${taskLog(target)}"`,
  };
}

function checkTarget(target: ServiceTarget): void {
  const { platform, scope, runAs } = target;
  if (!['linux', 'darwin', 'win32'].includes(platform))
    throw usage(
      `No service manager is known for ${platform}. Start "mcpproxy serve" with the tools of your system`,
    );
  if (platform === 'win32' && scope === 'system')
    throw usage('On Windows there is the scope "user" only: a task that starts when you log in');
  if (platform === 'darwin' && scope === 'system' && runAs === undefined)
    throw usage('--scope system needs --run-as USER on macOS: launchd would start the proxy as root');
  checkRunAs(target);
  checkPrograms(target);
  checkWords(target);
}

function checkRunAs({ scope, runAs }: ServiceTarget): void {
  if (runAs === undefined) return;
  if (scope === 'user') throw usage('--run-as needs --scope system: a service of the user runs as that user');
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(runAs))
    throw usage('--run-as must be the name of a user of this machine');
  if (runAs === 'root') throw usage('--run-as must not be root: the proxy needs no such rights');
}

/** The programs must still be there at the next boot, and the user of the service must be able to read them. */
function checkPrograms(target: ServiceTarget): void {
  const { main, node } = target;
  if (/[\\/]_npx[\\/]/.test(main))
    throw usage(
      `This program is in the cache of npx (${main}), which npm clears. Install it first: npm install -g mcpproxy`,
    );
  const hidden = [node, main].find((path) => /^\/(home|root|run\/user)\//.test(path));
  if (hasOwnUser(target) && hidden !== undefined)
    throw usage(
      `${hidden} is in a home directory, which the service cannot read. Install Node.js and mcpproxy for all users, or name the owner with --run-as USER`,
    );
}

/** A line break would start another line of the unit; a percent sign or a quote another word of the Windows command line. */
function checkWords(target: ServiceTarget): void {
  const { platform, node, home, path } = target;
  const isWindows = platform === 'win32';
  const forbidden = isWindows ? /[\p{Cc}"%]/u : /\p{Cc}/u;
  // A task takes the search path of its user.
  const words = [node, home, ...(isWindows ? [] : [path]), ...serveArgs(target)];
  const word = words.find((each) => forbidden.test(each));
  if (word !== undefined)
    throw usage(`This path cannot be written to the file of a service: ${JSON.stringify(word)}`);
}

const usage = (message: string) => new ProxyError('USAGE', message);
