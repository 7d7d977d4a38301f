import {
  configJsonSchema,
  localSettings,
  parseConfig,
  showConfig,
  showSettings,
} from '../../../config/index.ts';
import type { Caller } from '../../../contract/call.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { CHANGEABLE, type ConfigApplied, type ConfigView } from '../../../contract/routes/api.ts';
import type { Handlers, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';

export function configRoutes({
  activity,
  config,
  configRecords,
  info,
  revisions,
}: RestParts): Pick<
  Handlers,
  | 'getConfig'
  | 'updateConfig'
  | 'acceptConfig'
  | 'applyConfig'
  | 'listConfigRevisions'
  | 'getConfigRevision'
  | 'rollbackConfig'
> {
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

  /** Shows what would change, or changes exactly that. */
  async function replace(
    text: string,
    caller: Caller,
    asked: { action: 'apply' | 'rollback'; dry_run?: boolean; expected?: number; from?: number },
  ): Promise<ConfigApplied> {
    const { action, dry_run: dryRun, expected, from } = asked;
    const { changes } = await config.planShared(text);
    const result = (applied: boolean): ConfigApplied => ({
      applied,
      revision: config.revision() ?? null,
      changes,
      ignored: localSettings(text),
    });
    if (dryRun === true) return result(false);
    const wanted = { changes, ...(from !== undefined && { revision: from }) };
    return recordChange(activity, { action: `${action}_config`, caller, wanted }, async () => {
      await config.replaceShared(text, caller, { action, expected });
      return result(true);
    });
  }

  function stored(): NonNullable<typeof revisions> {
    if (revisions) return revisions;
    throw new ProxyError('NOT_FOUND', 'This proxy has no revisions of the configuration');
  }

  return {
    applyConfig: ({ body: { text, ...asked } }, { caller }) =>
      replace(text, caller, { action: 'apply', ...asked }),
    listConfigRevisions: async ({ query: { limit } }) => ({ revisions: await stored().list(limit) }),
    async getConfigRevision({ params: { revision } }) {
      const { text, about } = await stored().read(revision);
      const { listen: _listen, ...settings } = showConfig(parseConfig(text, `revision ${revision}`));
      return { ...about, settings };
    },
    async rollbackConfig({ params: { revision }, body }, { caller }) {
      const { text } = await stored().read(revision);
      return replace(text, caller, { action: 'rollback', from: revision, ...body });
    },
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
