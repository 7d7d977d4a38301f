import { describe, expect, test } from 'vitest';
import { planService } from './service-plan.ts';
import type { ServiceTarget } from './service-target.ts';

const linux: ServiceTarget = {
  platform: 'linux',
  scope: 'user',
  home: '/home/ann',
  userName: 'ann',
  uid: 1000,
  node: '/usr/bin/node',
  main: '/usr/lib/node_modules/mcpproxy/dist/main.js',
  path: '/home/ann/.local/bin:/usr/bin',
  configFile: '/home/ann/.mcpproxy/mcp_config.json',
  dataDir: '/home/ann/.mcpproxy',
};
const mac: ServiceTarget = {
  ...linux,
  platform: 'darwin',
  home: '/Users/ann',
  dataDir: '/Users/ann/.mcpproxy',
};
const windows: ServiceTarget = {
  ...linux,
  platform: 'win32',
  home: 'C:\\Users\\ann',
  node: 'C:\\Program Files\\nodejs\\node.exe',
  main: 'C:\\npm\\mcpproxy\\dist\\main.js',
  configFile: 'C:\\Users\\ann\\.mcpproxy\\mcp_config.json',
  dataDir: 'C:\\Users\\ann\\.mcpproxy',
};

const lines = (target: ServiceTarget) => planService(target).text.split('\n');
const problem = (target: ServiceTarget) => {
  try {
    planService(target);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe('systemd', () => {
  test('the unit of a user starts at log-in, drains on stop and logs to the journal', () => {
    const plan = planService(linux);
    expect(plan.file).toBe('/home/ann/.config/systemd/user/mcpproxy.service');
    expect(plan.install.map((command) => command.join(' '))).toEqual([
      'systemctl --user --no-pager daemon-reload',
      'systemctl --user --no-pager enable mcpproxy.service',
      'systemctl --user --no-pager restart mcpproxy.service',
    ]);
    expect(lines(linux)).toEqual(
      expect.arrayContaining([
        'ExecStart="/usr/bin/node" "/usr/lib/node_modules/mcpproxy/dist/main.js" "serve" "--config" "/home/ann/.mcpproxy/mcp_config.json" "--data-dir" "/home/ann/.mcpproxy"',
        'Environment="PATH=/home/ann/.local/bin:/usr/bin"',
        'EnvironmentFile=-/home/ann/.mcpproxy/environment',
        'KillMode=mixed',
        'StandardError=journal',
        'NoNewPrivileges=yes',
        'UMask=0077',
        'WantedBy=default.target',
      ]),
    );
  });

  test('the unit of the system has a user of its own and can write to its data directory alone', () => {
    const plan = planService({ ...linux, scope: 'system' });
    expect([plan.file, plan.data_dir]).toEqual(['/etc/systemd/system/mcpproxy.service', '/var/lib/mcpproxy']);
    expect(plan.text.split('\n')).toEqual(
      expect.arrayContaining([
        'DynamicUser=yes',
        'StateDirectory=mcpproxy',
        'StateDirectoryMode=0700',
        'CapabilityBoundingSet=',
        'ProtectSystem=strict',
        'ProtectHome=yes',
        'PrivateTmp=yes',
        'SystemCallFilter=@system-service',
        'WantedBy=multi-user.target',
      ]),
    );
    // Nothing of the person who installs it.
    expect(plan.text).not.toContain('/home/ann');
    expect(plan.text).not.toContain('MemoryDenyWriteExecute');
  });

  test('with --run-as it runs as that user, and can write to the data and the configuration', () => {
    const configFile = '/srv/my files/mcp_config.json';
    const text = lines({ ...linux, scope: 'system', runAs: 'bob', configFile });
    expect(text).toContain('User=bob');
    expect(text).toContain('ReadWritePaths="/home/ann/.mcpproxy" "/srv/my files"');
    expect(text.filter((line) => line.startsWith('DynamicUser'))).toEqual([]);
  });

  test('what systemd would expand is escaped', () => {
    const text = lines({ ...linux, main: '/opt/a "b" $HOME 100% \\x/main.js', path: '/p%h' });
    expect(text.find((line) => line.startsWith('ExecStart='))).toContain(
      '"/opt/a \\"b\\" $$HOME 100%% \\\\x/main.js"',
    );
    expect(text).toContain('Environment="PATH=/p%%h"');
  });
});

describe('launchd', () => {
  test('an agent of the user, kept alive unless it was told to stop', () => {
    const plan = planService({ ...mac, node: '/opt/a & <b>/node' });
    expect(plan.file).toBe('/Users/ann/Library/LaunchAgents/mcpproxy.plist');
    expect(plan.install).toEqual([['launchctl', 'bootstrap', 'gui/1000', plan.file]]);
    expect(plan.text).toContain('<string>/opt/a &amp; &lt;b&gt;/node</string>');
    expect(plan.text).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/);
    expect(plan.text).toMatch(/<key>Umask<\/key>\s*<integer>63<\/integer>/);
    expect(plan.text).toMatch(
      /<key>StandardErrorPath<\/key>\s*<string>\/Users\/ann\/\.mcpproxy\/service\.log</,
    );
    expect(plan.text).not.toContain('UserName');
  });

  test('a daemon of the system never runs as root', () => {
    expect(problem({ ...mac, scope: 'system' })).toContain('--run-as');
    expect(problem({ ...mac, scope: 'system', runAs: 'root' })).toContain('must not be root');
    const { file, text } = planService({ ...mac, scope: 'system', runAs: 'ann' });
    expect(file).toBe('/Library/LaunchDaemons/mcpproxy.plist');
    expect(text).toMatch(/<key>UserName<\/key>\s*<string>ann<\/string>/);
  });
});

describe('Task Scheduler', () => {
  test('a task from log-in, without administrator rights, time limit or second instance', () => {
    const { file, text, install } = planService(windows);
    expect(file).toBe('C:\\Users\\ann\\.mcpproxy\\mcpproxy-task.xml');
    expect(install[0]).toEqual(['schtasks', '/Create', '/TN', 'mcpproxy', '/XML', file, '/F']);
    expect(text).toContain('<RunLevel>LeastPrivilege</RunLevel>');
    expect(text).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>');
    expect(text).toContain('<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>');
    expect(text).toContain(
      '/d /s /c &quot;&quot;C:\\Program Files\\nodejs\\node.exe&quot; &quot;C:\\npm\\mcpproxy\\dist\\main.js&quot; &quot;serve&quot;',
    );
    expect(text).toContain(
      '&gt;&gt; &quot;C:\\Users\\ann\\.mcpproxy\\service.log&quot; 2&gt;&amp;1&quot;</Arguments>',
    );
  });
});

describe('refused', () => {
  test.each<[string, Partial<ServiceTarget>]>([
    ['scope "user" only', { ...windows, scope: 'system' }],
    ['cannot be written', { ...windows, main: 'C:\\a%PATH%\\main.js' }],
    ['cannot be written', { dataDir: '/data\nExecStartPre=/bin/evil' }],
    ['cannot be written', { path: '/bin\n[Service]' }],
    ['No service manager', { platform: 'freebsd' }],
    ['--scope system', { runAs: 'bob' }],
    ['name of a user', { scope: 'system', runAs: 'bob\nUser=root' }],
    ['cache of npx', { main: '/home/ann/.npm/_npx/0f/node_modules/.bin/mcpproxy' }],
    ['home directory', { scope: 'system', node: '/home/ann/.nvm/node' }],
  ])('%s', (says, change) => {
    expect(problem({ ...linux, ...change })).toContain(says);
  });
});
