// An operator without a browser: adds the server of a scenario, and logs in to it by REST, as often as the proxy asks for it.
import { randomUUID } from 'node:crypto';

/** Only against a hang: on a busy machine everything takes its time. */
const LIMIT_MS = 240_000;
/** More than any proxy should ask for. */
const MAX_LOGINS = 6;
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';

/** What an operator would have configured, from what the suite tells a client beforehand. */
function oauthFor(scenario, context) {
  const { client_id, client_secret, private_key_pem: private_key, signing_algorithm } = context;
  const { valid_jwt, idp_id_token, idp_token_endpoint, idp_client_id } = context;
  const assertion = valid_jwt ?? idp_id_token;
  if (scenario === 'auth/basic-cimd') return { client_metadata_url: DOCUMENT };
  if (client_id === undefined) return undefined;
  return {
    client_id,
    ...(client_secret && { client_secret }),
    ...(private_key && { private_key, private_key_algorithm: signing_algorithm }),
    ...(scenario.startsWith('auth/client-credentials') && { grant: 'client_credentials' }),
    ...(assertion && { grant: 'jwt_bearer', assertion, idp_token_endpoint, idp_client_id }),
  };
}

export function createOperator({ proxy, key, server, scenario }) {
  let logins = 0;

  async function rest(method, path, body) {
    const response = await fetch(`${proxy}/api/v1/servers${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-request-id': randomUUID() },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${answer.error?.code}: ${answer.error?.message}`);
    return answer;
  }

  async function logIn() {
    if (++logins > MAX_LOGINS) throw new Error(`the proxy asked for more than ${MAX_LOGINS} log-ins`);
    // This operator has been told that the server moves to another authorization server.
    const accept_issuer = scenario === 'auth/authorization-server-migration';
    const { done, authorization_url: page } = await rest('POST', `/${server}/login`, { accept_issuer });
    if (done) return;
    const { headers } = await fetch(page, { redirect: 'manual', signal: AbortSignal.timeout(LIMIT_MS) });
    await rest('POST', `/${server}/login/complete`, { redirect: headers.get('location') });
  }

  /** Waits until the server is ready, and logs in when it is asked for. */
  async function connected() {
    const deadline = Date.now() + LIMIT_MS;
    for (;;) {
      const { state, last_error: error } = await rest('GET', `/${server}`);
      if (state === 'ready') return;
      if (state === 'needs_login') await logIn();
      else if (state === 'failed' || Date.now() > deadline)
        throw new Error(`the server is ${state}: ${error}`);
      await new Promise((done) => setTimeout(done, 25));
    }
  }

  return {
    add: (url, context) => {
      const oauth = oauthFor(scenario, context);
      // A third of it is for the first request, within which a machine also logs in.
      const config = { url, startup_timeout: '6m', ...(oauth && { oauth }) };
      return rest('POST', '', { name: server, config });
    },
    connected,
    needsLogin: async () => (await rest('GET', `/${server}`)).state === 'needs_login',
    remove: () => rest('DELETE', `/${server}`),
  };
}
