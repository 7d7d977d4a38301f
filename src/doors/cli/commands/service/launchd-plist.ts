import { dataDirOf, MARK, SERVICE, serveArgs, STOP_SECONDS, type ServiceTarget } from './service-target.ts';
import { escapedXml } from './escape-xml.ts';

/** A launch agent of the user, or a daemon of the system that runs as the user who is named. */
export function launchdPlist(target: ServiceTarget): string {
  const log = launchdLog(target);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK}. Changes are lost when it runs again. -->
<plist version="1.0">
<dict>
${[
  entry('Label', text(SERVICE)),
  entry('ProgramArguments', list([target.node, ...serveArgs(target)])),
  entry('EnvironmentVariables', `<dict>\n${indented(entry('PATH', text(target.path)))}\n</dict>`),
  entry('WorkingDirectory', text(dataDirOf(target))),
  ...(target.scope === 'system' ? [entry('UserName', text(target.runAs!))] : []),
  entry('RunAtLoad', '<true/>'),
  // A proxy that was told to stop ends with code 0 and stays stopped.
  entry('KeepAlive', `<dict>\n${indented(entry('SuccessfulExit', '<false/>'))}\n</dict>`),
  entry('ThrottleInterval', '<integer>10</integer>'),
  entry('ExitTimeOut', `<integer>${STOP_SECONDS}</integer>`),
  // 077: launchd reads a decimal number.
  entry('Umask', '<integer>63</integer>'),
  entry('StandardOutPath', text(log)),
  entry('StandardErrorPath', text(log)),
]
  .map(indented)
  .join('\n')}
</dict>
</plist>
`;
}

export function launchdLog(target: ServiceTarget): string {
  return `${dataDirOf(target)}/service.log`;
}

const text = (value: string) => `<string>${escapedXml(value)}</string>`;
const entry = (key: string, value: string) => `<key>${key}</key>\n${value}`;
const list = (values: string[]) =>
  `<array>\n${values.map((value) => indented(text(value))).join('\n')}\n</array>`;
const indented = (block: string) => block.replaceAll(/^/gm, '  ');
