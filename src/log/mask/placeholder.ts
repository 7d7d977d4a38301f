/** What documentation and templates write in the place of a secret. */
const WORDS =
  /example|placeholder|redacted|changeme|change_me|dummy|x{6}|\*{3}|\.{3}|(?:^|[-_ <])your[-_ ]|^(?:insert|put|enter)[-_ ](?:the|a|an|api|token|key|secret|password)(?![a-z])|here$/i;
/** `$NAME`, `${…}`, `{{…}}`, `%NAME%`, `<…>`, `{name}`: another program puts the value in. */
const REFERENCE =
  /^(?:\$\{?[A-Z_][A-Z0-9_]*\}?|\$?\{\{?[^{}]{0,100}\}{0,2}|%[A-Z_]{1,60}%|<[^<>]{1,80}>?|[A-Z]{2,20}(?:_[A-Z]{2,20})+|(?:op|vault|ref\+[a-z]{1,20}):\/\/.{1,200}|arn:aws[a-z-]{0,10}:.{1,200}|ENC\[.{0,40})$/;
/** A value that code computes: `var.db_password`, `process.env.TOKEN`, `self.password`. */
const EXPRESSION =
  /^(?:var|local|data|module|self|this|env|process|os|config|cfg|conf|settings|secrets?|request|req|args|opts|options|params|props|ctx|context|state|input|credentials|response|res)(?:\.[A-Za-z_]\w{0,60}){1,6}$/;
const LONGEST = 300;
/** A shorter secret may well have few different characters. */
const SHORT = 12;

/** Whether a text only stands for a secret: an example, a template, the name of a variable. Its beginning decides. */
export function isPlaceholder(value: string): boolean {
  const text = value.slice(0, LONGEST);
  return WORDS.test(text) || REFERENCE.test(text) || EXPRESSION.test(text) || hasFewCharacters(text);
}

/** `xxxxxxxx`, `1111-1111`, `****`: no random value looks so. */
function hasFewCharacters(text: string): boolean {
  return text.length >= SHORT && new Set(text.replace(/[xX*#._-]/g, '')).size < 2;
}
