import { dataDirOf, MARK, serveArgs, type ServiceTarget } from './service-target.ts';
import { escapedXml } from './escape-xml.ts';

/** A task of the Windows Task Scheduler that starts when its user logs in, without administrator rights. */
export function scheduledTask(target: ServiceTarget): string {
  const user = escapedXml(target.userName);
  return `<?xml version="1.0" encoding="UTF-16"?>
<!-- ${MARK}. Changes are lost when it runs again. -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>mcpproxy, one MCP endpoint for many MCP servers</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <UserId>${user}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%ComSpec%</Command>
      <Arguments>${escapedXml(commandLine(target))}</Arguments>
      <WorkingDirectory>${escapedXml(dataDirOf(target))}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
}

export function taskLog(target: ServiceTarget): string {
  return `${dataDirOf(target)}\\service.log`;
}

/** The task scheduler keeps no output, so the command shell appends it to a file. Quotes cannot be part of a Windows path. */
function commandLine(target: ServiceTarget): string {
  const words = [target.node, ...serveArgs(target)].map((word) => `"${word}"`);
  return `/d /s /c "${words.join(' ')} >> "${taskLog(target)}" 2>&1"`;
}
