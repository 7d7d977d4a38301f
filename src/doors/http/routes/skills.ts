import { itemSource, type CatalogTool } from '../../../catalog/index.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { SkillView } from '../../../contract/item.ts';
import type { JudgedTool } from '../../../contract/tool.ts';
import { isObject } from '../../../json/index.ts';
import { proxiedUri, readProxiedUri } from '../../../lib/resource-uri.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import type { Handlers, RequestContext, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';

type SkillHandlers = Pick<Handlers, 'listSkills' | 'diffSkill' | 'approveSkill' | 'rejectSkill'>;

/** Skills of the servers: a new or changed one can wait for the operator. */
export function skillRoutes({ activity, items }: RestParts): SkillHandlers {
  const skills = () => {
    if (items) return items.skill;
    throw new ProxyError('NOT_FOUND', 'This proxy offers tools only');
  };

  function find(uri: string): CatalogTool {
    const proxied = readProxiedUri(uri);
    const skill = proxied && skills().get(`${proxied.server}:${proxied.uri}`);
    if (skill) return skill;
    const shown = visibleLine(uri.slice(0, 200));
    throw new ProxyError(
      'RESOURCE_NOT_FOUND',
      `Skill '${shown}' not found. GET /api/v1/skills lists them all.`,
      {
        uri: shown,
      },
    );
  }

  async function decide(
    { caller }: RequestContext,
    { uri, hash }: { uri: string; hash?: string | undefined },
    action: 'approve' | 'reject',
  ) {
    const { name, server, tool } = find(uri);
    return recordChange(activity, { action: `${action}_skill`, server, tool, caller }, async () => {
      await (action === 'approve'
        ? skills().approve(name, caller, { hash })
        : skills().reject(name, caller, hash));
      return skillView(find(uri), skills().judged(find(uri)));
    });
  }

  return {
    listSkills({ query }) {
      const { tools, ...page } = skills().list(query);
      return { skills: tools.map((judged) => skillView(skills().get(judged.name)!, judged)), ...page };
    },
    diffSkill: ({ query: { uri } }) => skills().diff(find(uri).name),
    approveSkill: ({ body }, context) => decide(context, body, 'approve'),
    rejectSkill: ({ body }, context) => decide(context, body, 'reject'),
  };
}

function skillView(
  { server, tool, standing, withheld, enabled, definition }: CatalogTool,
  { definition_hash }: JudgedTool,
): SkillView {
  const { frontmatter, resources } = itemSource(definition);
  const { name, description } = isObject(frontmatter) ? frontmatter : {};
  return {
    uri: proxiedUri(server, tool),
    server_uri: tool,
    name: typeof name === 'string' ? name : tool,
    server,
    ...(typeof description === 'string' && { description }),
    standing,
    withheld,
    enabled,
    files: Array.isArray(resources) ? resources.length : 1,
    definition_hash,
  };
}
