import { itemSource, type CatalogTool } from '../../../catalog/index.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { PromptView, ResourceView } from '../../../contract/item.ts';
import type { JudgedTool } from '../../../contract/tool.ts';
import { isObject } from '../../../json/index.ts';
import { proxiedUri } from '../../../lib/resource-uri.ts';
import type { CallRequest } from '../../../road/index.ts';
import type { Handlers, ItemsPart, RequestContext, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';

type ItemHandlers = Pick<
  Handlers,
  | 'listPrompts'
  | 'getPrompt'
  | 'diffPrompt'
  | 'approvePrompt'
  | 'rejectPrompt'
  | 'listResources'
  | 'readResource'
>;

/** Prompts and resources of the servers, for the operator. Getting one is a request on the road. */
export function itemRoutes({ activity, callTool, items }: RestParts): ItemHandlers {
  const parts = (): ItemsPart => {
    if (items) return items;
    throw new ProxyError('NOT_FOUND', 'This proxy offers tools only');
  };

  function find(name: string): CatalogTool {
    const prompt = parts().prompt.get(name);
    if (prompt) return prompt;
    const shown = name.slice(0, 200);
    throw new ProxyError(
      'PROMPT_NOT_FOUND',
      `Prompt '${shown}' not found. GET /api/v1/prompts lists them all.`,
      {
        prompt: shown,
      },
    );
  }

  async function decide(
    { caller }: RequestContext,
    { name, hash }: { name: string; hash?: string | undefined },
    action: 'approve' | 'reject',
  ) {
    const { prompt } = parts();
    const { server, tool } = find(name);
    const change = { action: `${action}_prompt`, server, tool, caller };
    return recordChange(activity, change, async () => {
      await (action === 'approve'
        ? prompt.approve(name, caller, { hash })
        : prompt.reject(name, caller, hash));
      return promptView(find(name), prompt.judged(find(name)));
    });
  }

  const ask = (
    kind: CallRequest['kind'],
    { reason, ...input }: { reason?: string | undefined },
    { caller, signal }: RequestContext,
  ) =>
    callTool({
      kind,
      operation: 'read',
      intentSource: 'verdict',
      input,
      caller,
      signal,
      hooks: { isListening: () => !signal.aborted },
      ...(reason !== undefined && { reason }),
    });

  return {
    listPrompts({ query }) {
      const { prompt } = parts();
      const { tools, ...page } = prompt.list(query);
      return { prompts: tools.map((judged) => promptView(prompt.get(judged.name)!, judged)), ...page };
    },
    getPrompt: ({ body }, context) => ask('prompt', body, context),
    diffPrompt: ({ params: { name } }) => parts().prompt.diff(find(name).name),
    approvePrompt: ({ params, query }, context) => decide(context, { ...params, ...query }, 'approve'),
    rejectPrompt: ({ params, query }, context) => decide(context, { ...params, ...query }, 'reject'),
    listResources({ query: { templates, ...query } }) {
      const kind = templates ? 'template' : 'resource';
      const catalog = parts()[kind];
      const { tools, ...page } = catalog.list(query);
      return { resources: tools.map(({ name }) => resourceView(catalog.get(name)!)), ...page };
    },
    readResource: ({ body }, context) => ask('resource', body, context),
  };
}

function offeredView({ server, standing, withheld, enabled, definition }: CatalogTool) {
  const { title, description } = itemSource(definition);
  return {
    server,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    standing,
    withheld,
    enabled,
  };
}

function promptView(prompt: CatalogTool, { definition_hash }: JudgedTool): PromptView {
  const { arguments: named } = itemSource(prompt.definition);
  return {
    name: prompt.name,
    ...offeredView(prompt),
    ...(Array.isArray(named) && { arguments: named.filter(isObject) as PromptView['arguments'] }),
    definition_hash,
  };
}

function resourceView(resource: CatalogTool): ResourceView {
  const { name, mimeType } = itemSource(resource.definition);
  return {
    uri: proxiedUri(resource.server, resource.tool),
    server_uri: resource.tool,
    name: typeof name === 'string' ? name : resource.tool,
    ...(typeof mimeType === 'string' && { mime_type: mimeType }),
    ...offeredView(resource),
  };
}
