/** Where secrets are kept, on the machine of whoever runs the agent. */
const PLACES = [
  '.ssh', 'id_rsa', 'id_ed25519', 'authorized_keys', '.aws/', '.aws', '.netrc', '/etc/passwd', '/etc/shadow', '.kube/config', 'mcp.json',
  'mcp_config', '.cursor/', '.npmrc', '.pypirc', '.git-credentials', '.pgpass', 'wallet.dat', 'keychain', '.bash_history', '.zsh_history',
  'claude_desktop_config', '/proc/self/environ', '.docker/config', '.gnupg', '.bashrc', '.zshrc', '.config/', 'credentials.json', 'login data',
  '/etc/hosts', '/etc/sudoers', 'secrets.', '.vault', 'kubeconfig', '.pem', '.p12', '.keystore', 'shadow', '.gitconfig', '/root/', '.azure', '.gcloud',
]; // prettier-ignore
const ENV_FILE = /^\.env(?:\.[a-z]{1,20})?$|\/\.env(?:\.[a-z]{1,20})?$/;

export function placeOfSecrets(piece: string): boolean {
  if (!/[._/]|key/.test(piece)) return false;
  const lower = piece.slice(0, 200).toLowerCase();
  return PLACES.some((place) => lower.includes(place)) || ENV_FILE.test(lower);
}
