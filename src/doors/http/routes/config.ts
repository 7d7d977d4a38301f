import { configJsonSchema, showSettings } from '../../../config/index.ts';
import { CHANGEABLE, type ConfigView } from '../../../contract/routes/api.ts';
import type { Handlers, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';

export function configRoutes({
  activity,
  config,
  configRecords,
}: RestParts): Pick<Handlers, 'getConfig' | 'updateConfig' | 'acceptConfig'> {
  const { properties } = configJsonSchema() as { properties: Record<string, unknown> };

  function view(): ConfigView {
    const current = config.current();
    return {
      file: config.file,
      error: config.lastError(),
      settings: Object.fromEntries(CHANGEABLE.map((name) => [name, current[name]])),
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
    acceptConfig: ({ body: { digest } }, { caller }) =>
      recordChange(activity, { action: 'accept_config', caller, wanted: { digest } }, () =>
        configRecords.accept(digest, caller),
      ),
  };
}
