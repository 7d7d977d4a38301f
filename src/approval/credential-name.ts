/** A credential in words: "token:NAME" itself looks like a secret, and the log would mask it. */
export function credentialName(principal: string): string {
  return principal.startsWith('token:') ? `${principal.slice('token:'.length)} (token)` : principal;
}
