import { configJsonSchema, showConfig, showSettings } from '../../../config/index.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { CHANGEABLE, type ConfigView } from '../../../contract/routes/api.ts';
import type { Handlers, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';

export function configRoutes({
  activity,
  config,
  configRecords,
  info,
}: RestParts): Pick<Handlers, 'getConfig' | 'updateConfig' | 'acceptConfig'> {
  const { properties } = configJsonSchema() as { properties: Record<string, unknown> };

  function view(): ConfigView {
    const current = config.current();
    return {
      file: config.file,
      error: config.lastError(),
      settings: Object.fromEntries(CHANGEABLE.map((name) => [name, current[name]])),
      // The flag --listen is no setting.
      in_force: {
        ...showConfig(current),
        listen: info.listen()?.replace(/^https?:\/\//, '') ?? current.listen,
      },
      schema: Object.fromEntries(CHANGEABLE.map((name) => [name, properties[name]])),
    };
  }

  return {
    getConfig: view,
    updateConfig: ({ body }, { caller }) =>
      recordChange(activity, { action: 'settings', caller, wanted: showSettings(body) }, async () => {
        await config.editSettings(body, caller);
        return view();
      }),
    async acceptConfig({ body: { digest } }, { caller }) {
      if (!(await configRecords.hasChanges()))
        throw new ProxyError(
          'CONFLICT',
          'There is nothing to confirm: no edit of the file waits, and none has weakened a setting since the last confirmation',
        );
      return recordChange(activity, { action: 'accept_config', caller, wanted: { digest } }, () =>
        configRecords.accept(digest, caller),
      );
    },
  };
}
