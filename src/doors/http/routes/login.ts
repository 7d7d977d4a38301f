import { ProxyError } from '../../../contract/errors.ts';
import { localUrl } from '../../../contract/routes/client.ts';
import { loginUrl } from '../guard/login-links.ts';
import type { Handlers, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';

export function loginRoutes({ activity, info, loginLinks }: RestParts): Pick<Handlers, 'createLoginLink'> {
  return {
    createLoginLink(_input, { caller }) {
      const base = info.listen();
      if (base === null || !loginLinks)
        throw new ProxyError(
          'NO_DAEMON',
          'The web UI is served by the daemon: start it with "mcpproxy serve"',
        );
      return recordChange(activity, { action: 'login link', caller }, async () => {
        const { code, expiresAt } = loginLinks.create();
        return { url: loginUrl(localUrl(base), code), expires_at: new Date(expiresAt).toISOString() };
      });
    },
  };
}
