import { foldText } from '../../scanner/index.ts';

/** Where a text stands in a dialog. */
export type DialogText = 'text' | 'field name' | 'dialog key';

/** Names that the approval dialog of the proxy uses. */
const OWN_NAMES = /^(?:approve|approval|(?:approve|approval)(?:this|the)?call|mcpproxy.*)$/;

/** What only the approval dialog of the proxy says, as it reads at a glance. */
const OWN_PHRASES: readonly RegExp[] = [
  /\bapprov(?:e|es|ed|al|ing)\b(?: \S+){0,8} exactly as (?:it is |they are )?shown\b/,
  /\brun(?:s|ning)? (?:it |them |this )?once exactly as (?:it is )?shown\b/,
  /\bapprove (?:this|the|a|that) call\b/,
  /\bcalls? (?:of|to) .{1,300}\b(?:waits?|waiting) for (?:an |your )?approval\b/,
  /\bapprovals show\b/,
];

/** The same where the blanks between words are missing, or are characters that nobody sees. */
const OWN_SQUEEZED = /approvethiscall|approv.{0,60}exactlyasshown|runitonceexactlyasshown/;

/** Where somebody may begin to speak: lines, sentences, brackets. */
const PART_END = /([\n\r\u0085\u2028\u2029]|[.!?:;()<>[\]{}|*#—–]|\s-\s)/;
/** The proxy as the one who speaks: at the start, before a colon, or with a verb of speaking. */
const SPEAKS =
  /^(?:asks?|says?|needs?|requires?|wants?|requests?|approvals?|security|warning|notice|system)\b/;
const FROM = /(?:^| )(?:from|by|of)$/;
/** The line that marks the dialog of a server. */
const MARKER = /^servers? .{0,200}\basks\b/;

const NAME = 'mcpproxy';

/** Why a text of a server could be taken for the proxy's own; undefined where it could not. */
export function imitationIn(text: string, where: DialogText): string | undefined {
  const folded = foldText(text);
  const squeezed = folded.replaceAll(' ', '');
  if (where !== 'text' && OWN_NAMES.test(squeezed)) return `has a ${where} of the approval dialog`;
  if (OWN_SQUEEZED.test(squeezed) || OWN_PHRASES.some((phrase) => phrase.test(folded)))
    return 'uses the words of the approval dialog';
  const parts = text.normalize('NFKC').split(PART_END);
  for (let i = 0; i < parts.length; i += 2) {
    const read = foldText(parts[i]!);
    if (MARKER.test(read)) return 'imitates the line that names the server';
    if (isSpokenByProxy(read, parts[i + 1]?.startsWith(':') === true))
      return 'speaks in the name of the proxy';
  }
  return undefined;
}

/** "mcpproxy" anywhere is a word like any other; as the speaker it is not. */
function isSpokenByProxy(part: string, isIntroduction: boolean): boolean {
  const words = part.split(' ');
  return words.some((_, at) => {
    const length = nameAt(words, at);
    if (length === 0) return false;
    const before = words.slice(0, at).join(' ');
    const after = words.slice(at + length).join(' ');
    if (before === '' || before === 'the' || (after === '' && isIntroduction)) return true;
    return SPEAKS.test(after) || FROM.test(before);
  });
}

/** How many words from here on read as the name of the proxy: one, or its letters with blanks between. */
function nameAt(words: readonly string[], at: number): number {
  let text = '';
  for (let next = at; next < words.length && text.length < NAME.length; next++) {
    text += words[next];
    if (isLikeName(text)) return next - at + 1;
  }
  return 0;
}

/** Letters without a known Latin counterpart may look like any: they count as equal where most others are. */
function isLikeName(text: string): boolean {
  const letters = [...text];
  if (letters.length !== NAME.length) return false;
  const same = letters.filter((letter, i) => letter === NAME[i]).length;
  return same >= 4 && letters.every((letter, i) => letter === NAME[i] || letter > '\u007f');
}
