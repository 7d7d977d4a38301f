import { posix } from 'node:path';
import {
  dataDirOf,
  hasOwnUser,
  MARK,
  SERVICE,
  serveArgs,
  STOP_SECONDS,
  type ServiceTarget,
} from './service-target.ts';

/**
 * A unit for `systemctl --user` or for the system. Servers are child processes, so what is forbidden here is forbidden to them too.
 * MemoryDenyWriteExecute is absent because Node.js compiles code while it runs.
 */
export function systemdUnit(target: ServiceTarget): string {
  const isSystem = target.scope === 'system';
  return [
    `# ${MARK}. Changes are lost when it runs again; use "systemctl edit" for your own.`,
    '[Unit]',
    'Description=mcpproxy, one MCP endpoint for many MCP servers',
    ...(isSystem ? ['Wants=network-online.target', 'After=network-online.target'] : []),
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${execLine([target.node, ...serveArgs(target)])}`,
    `Environment=${quoted(`PATH=${hasOwnUser(target) ? SYSTEM_PATH : target.path}`)}`,
    // Variables that the configuration refers to. The file is optional, and only the owner of the data directory can read it.
    `EnvironmentFile=-${escapedPercent(`${dataDirOf(target)}/environment`)}`,
    'Restart=on-failure',
    'RestartSec=2',
    // SIGTERM goes to the proxy alone, which lets calls finish and then ends its servers.
    'KillMode=mixed',
    `TimeoutStopSec=${STOP_SECONDS}`,
    'StandardInput=null',
    'StandardOutput=journal',
    'StandardError=journal',
    `SyslogIdentifier=${SERVICE}`,
    '',
    ...HARDENING,
    ...(isSystem ? [...SYSTEM_HARDENING, ...ownerLines(target)] : []),
    '',
    '[Install]',
    `WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}`,
    '',
  ].join('\n');
}

/** A user of its own cannot read the directories of the person who installs the service. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Work for a user without privileges too. */
const HARDENING = [
  'NoNewPrivileges=yes',
  'UMask=0077',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
];

const SYSTEM_HARDENING = [
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectSystem=strict',
  'ProtectControlGroups=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectProc=invisible',
  'RestrictNamespaces=yes',
  'RemoveIPC=yes',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
];

/** Who runs the service, and the directories that it may write to: those of its data and its configuration. */
function ownerLines(target: ServiceTarget): string[] {
  if (hasOwnUser(target))
    return [
      'ProtectHome=yes',
      'DynamicUser=yes',
      `StateDirectory=${SERVICE}`,
      'StateDirectoryMode=0700',
      `Environment=HOME=${dataDirOf(target)}`,
    ];
  return [
    `User=${escapedPercent(target.runAs!)}`,
    'ProtectHome=read-only',
    `ReadWritePaths=${[...new Set([target.dataDir, posix.dirname(target.configFile)])].map(quoted).join(' ')}`,
  ];
}

/** systemd replaces $NAME in arguments, but not in the path of the program. */
function execLine([program, ...args]: readonly [string, ...string[]]): string {
  return [quoted(program), ...args.map((arg) => quoted(arg.replaceAll('$', '$$$$')))].join(' ');
}

function quoted(text: string): string {
  return `"${escapedPercent(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function escapedPercent(text: string): string {
  return text.replaceAll('%', '%%');
}
