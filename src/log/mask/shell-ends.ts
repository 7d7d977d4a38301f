/**
 * A value in quotes may hold any character, but the quote in front of it may also be the end of an earlier text, as in
 * `echo 'password='; rm -rf x; echo ''`. So a value ends where a shell would begin another command. A separator alone, as in the password
 * `a7;K(2|p`, does not end it.
 */
const NEXT_COMMAND = /[;|&()<>](?:\s|[a-z][a-z0-9_./-]|[A-Za-z_]\w*=|[./~\\${!(])/y;
const SEPARATORS = ';|&()<>';

/** Whether a shell would run what begins here. */
export function beginsCommand(text: string, at: number): boolean {
  const character = text[at]!;
  if (character === '`') return true;
  if (character === '$') return beginsExpansion(text, at);
  if (!SEPARATORS.includes(character)) return false;
  NEXT_COMMAND.lastIndex = at;
  return NEXT_COMMAND.test(text);
}

/** `$(command)`, `${…}` or `$[…]`. */
export function beginsExpansion(text: string, at: number): boolean {
  if (text[at] !== '$') return false;
  const next = text[at + 1];
  return next === '(' || next === '{' || next === '[';
}

/** Separators directly in front belong to the command, as the first "&" of "&&". */
export function separatorStart(text: string, at: number, from: number): number {
  let i = at;
  while (i > from && SEPARATORS.includes(text[i - 1]!)) i--;
  return i;
}

/** The first place within a range where a shell would begin a command; the end of the range where there is none. */
export function commandIn(text: string, start: number, end: number): number {
  for (let i = start; i < end; i++) if (beginsCommand(text, i)) return separatorStart(text, i, start);
  return end;
}
