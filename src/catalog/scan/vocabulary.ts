import { setOf } from './near.ts';

export const OVERRIDE = setOf('ignore disregard forget override overrule bypass discard neglect supersede');
export const EARLIER = setOf(
  'previous prior above earlier preceding existing system original your former other all any these those initial safety default',
);
export const RULES = setOf(
  'instruction instructions rule rules prompt prompts guideline guidelines directive directives restriction restrictions guardrail guardrails command commands policies policy constraints training',
);
export const NOT = setOf("not never don't dont without avoid cannot mustn't");
export const TELL = setOf(
  'tell telling mention mentioning inform informing reveal revealing disclose disclosing notify notifying alert alerting report reporting say saying explain explaining discuss acknowledge admit expose show showing display displaying warn warning ask asking reference referencing',
);
export const PERSON = setOf('user human person anyone anybody operator them customer owner people someone');
export const MOVE = setOf(
  'read include send pass attach copy append provide embed paste forward upload post transmit exfiltrate encode put add supply insert collect fetch extract gather dump leak relay share submit retrieve cat open list grab return enter fill write',
);
export const SENDS = setOf(
  'send forward upload post transmit exfiltrate bcc cc relay leak share submit report copy deliver email mail curl ping',
);
/** Of these, what takes something away from the person. */
export const TAKES = setOf(
  'include send attach append embed forward upload transmit exfiltrate encode collect extract gather dump leak relay share submit bcc cc email record log call execute',
);
export const MUST = setOf(
  'must always should need required require first before prior mandatory important please ensure sure necessary always also additionally whenever every immediately',
);
export const COVERT = setOf(
  'silently secretly quietly covertly invisibly stealthily discreetly surreptitiously unnoticed',
);
/** What nobody asks for in the description of an honest tool. */
export const SECRET_PLACES = [
  '.ssh', 'id_rsa', 'id_ed25519', 'authorized_keys', '.aws/credentials', '.netrc', '/etc/passwd', '/etc/shadow', '.kube/config', 'mcp.json',
  'mcp_config', '.cursor/', '.npmrc', '.git-credentials', '.pgpass', 'wallet.dat', 'keychain', '.bash_history', '.zsh_history',
  'claude_desktop_config', 'seed phrase', '/proc/self/environ', '.docker/config', '.gnupg',
]; // prettier-ignore
export const CONTEXT = [
  'system prompt', 'conversation history', 'chat history', 'entire conversation', 'full conversation', 'whole conversation',
  'previous messages', 'prior messages', 'previous conversation', 'your instructions', 'your context', 'full context', 'entire context',
  'context window', 'internal reasoning', 'list of available tools', 'all available tools', 'names of all tools',
  'other tools you',
]; // prettier-ignore
export const CREDENTIALS = [
  'api key', 'api keys', 'api_key', 'credentials', 'access token', 'access tokens', 'password', 'passwords', 'private key', 'private keys',
  'environment variable', 'environment variables', '.env', 'secrets', 'session token', 'auth token', 'cookies', 'credit card',
]; // prettier-ignore
/** Phrases that only make sense when spoken to a model. */
export const SPOKEN_TO_MODEL = [
  'you are now', 'new instructions:', 'new instruction:', 'from now on you', 'from now on, you', 'developer mode', 'do anything now', 'jailbreak',
  'your real task', 'your true goal', 'your actual task', 'your new task', 'end of system', 'begin system', 'dear ai', 'attention ai',
  'note to ai', 'note to the ai', 'ai assistant must', 'the assistant must', 'assistant should always', 'llm must', 'model must', 'the ai must',
  'hey claude', 'dear assistant', 'instructions for the ai', 'instruction for the assistant', 'do not refuse', "don't refuse",
  'user has already approved', 'user already approved', 'user has consented', 'user has authorized', 'already been authorized by the user',
  'already been approved', 'pre-approved by the user', 'without user consent', "without the user's consent", 'without asking the user',
  'without user confirmation', 'no need to ask the user', 'do not ask for confirmation', "don't ask for confirmation", 'do not ask the user',
  'skip confirmation', 'without requesting permission', 'do not verify', 'highest priority instruction', 'ignore safety', 'disable safety',
  'bypass security', 'disable security', 'top priority:', 'system override', 'override:', 'admin override',
  'ignora las instrucciones', 'ignora todas las', 'ignorez les instructions', 'ignore les instructions', 'ignoriere alle', 'ignoriere die',
  'vergiss alle', 'ignora le istruzioni', 'ignore as instruções', '忽略之前', '忽略以上', '忽略先前', '无视之前', '不要告诉用户', '不要告訴',
  '以前の指示を無視', '前の指示を無視', 'ユーザーに言わない', 'игнорируй', 'не сообщай', 'no le digas al usuario', "n'en parlez pas",
]; // prettier-ignore
export const ROLE_MARKS = [
  '<important>', '</important>', '<system>', '</system>', '<|im_start|>', '<|system|>', '[inst]', '[/inst]', '<<sys>>', '<instructions>', '<instruction>',
  '<secret>', '<hidden>', '<|endoftext|>', '### instruction', '### system', '[system]', '[system message]', '<critical>', '<mandatory>',
  '<admin>', '<override>', '<assistant>', '<user>', '[hidden]', '[[system', '{{system', '<!-- system',
]; // prettier-ignore
/** Weaker: a heading may look the same. */
export const SPEAKERS = ['system:', 'human:', 'assistant:'];
export const SHELL = [
  '| bash', '| sh', '|bash', '|sh ', 'rm -rf /', 'rm -rf ~', 'base64 -d', 'base64 --decode', 'nc -e', '/dev/tcp/', 'powershell -enc', 'wget http', 'curl http',
  'curl -s http', 'curl -x post', 'eval(', 'os.system(', 'subprocess.', 'chmod +x', 'invoke-webrequest', '$(cat ', '`cat ', 'mkfifo',
]; // prettier-ignore
