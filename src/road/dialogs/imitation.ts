import { replaceHidden } from '../../lib/visible-text.ts';
import { foldText } from '../../scanner/index.ts';

/** Where a text stands in a dialog. */
export type DialogText = 'text' | 'field name' | 'dialog key';

/** Letters and pairs of letters that look alike in most fonts. */
const atAGlance = (text: string) => text.replaceAll('i', 'l').replaceAll('rn', 'm').replaceAll('vv', 'w');
const like = ({ source }: RegExp) => new RegExp(atAGlance(source));

/** Names that the approval dialog of the proxy uses. */
const OWN_NAMES = like(/^(?:approv(?:e|al)(?:this|the|it)?(?:call)?|mcpproxy.*)$/);

/** What only the approval dialog of the proxy says, as it reads at a glance. */
const OWN_PHRASES = [
  /\bapprov(?:e|es|ed|al|ing)\b(?: \S+){0,8} exactly as (?:it is |they are )?shown\b/,
  /\brun(?:s|ning)? (?:it |them |this )?once exactly as (?:it is )?shown\b/,
  /\bapprove (?:this|the|a|that)(?: following| pending)? call\b/,
  /\bcalls? (?:of|to) .{1,300}\b(?:waits?|waiting) for (?:an |your )?approval\b/,
  /\bapprovals show\b/,
].map(like);

/** The same where the blanks between words are missing, or are characters that nobody sees. */
const OWN_SQUEEZED = like(/approvethiscall|approv.{0,60}exactlyasshown|runitonceexactlyasshown/);

/** Where somebody may begin to speak: lines, sentences, brackets. */
const PART_END = /([\n\r\u0085\u2028\u2029]|[.!?:;()<>[\]{}|*#—–]|\s-\s)/;
/** What a client that renders markup does not show: tags, and signs within a word. */
const MARKUP = /<[^<>]*>|&\w{1,10};|(?<=\p{L})[^\p{L}\p{N}\p{Zs}\t]+(?=\p{L})/gu;
/** A character by its number, in HTML and Markdown. */
const NUMBERED = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi;
/** The proxy as the one who speaks: at the start, before a colon, or with a verb of speaking. */
const SPEAKS = like(
  /^(?:asks?|says?|needs?|requires?|wants?|requests?|approvals?|security|warning|notice|system|here|i|we)\b/,
);
/** The proxy by its kind instead of its name. A sentence about another proxy, such as one that needs a password, is not meant. */
const UNNAMED = like(
  /^(?:(?:the|your|this|our|a) )?(?:mcp |security )?(?:proxy|gateway) (?:asks?|says?|wants?|requests?|approvals?|speaking|here)\b/,
);
const WAITS = like(/\bwaits for a person\b/);
/** In the languages of most servers. */
const FROM = like(
  /(?:^| )(?:from|by|of|as|von|vom|durch|de|del|du|par|por|da|dal|di|van|door|av|af|fra|od|ot|przez)$/,
);
/** The line that marks the dialog of a server, with quotes around the name or a colon at the end. */
const MARKER = like(/^(?:the )?servers? .{1,200}\basks\b/);
const QUOTED = /^[^'"`´‘’“”«»‹›]{0,40}['"`´‘’“”«»‹›]/;

const NAME = 'mcpproxy';

/** Why a text of a server could be taken for the proxy's own; undefined where it could not. */
export function imitationIn(text: string, where: DialogText): string | undefined {
  const plain = text.replace(NUMBERED, characterOf).normalize('NFKC');
  // Hidden characters and markup may stand between two words, or within one.
  return (
    imitation(
      replaceHidden(plain, () => '\n'),
      where,
    ) ?? imitation(plain.replace(MARKUP, ''), where)
  );
}

function imitation(text: string, where: DialogText): string | undefined {
  const folded = read(text);
  const squeezed = folded.replaceAll(' ', '');
  if (where !== 'text' && OWN_NAMES.test(squeezed)) return `has a ${where} of the approval dialog`;
  if (OWN_SQUEEZED.test(squeezed) || OWN_PHRASES.some((phrase) => phrase.test(folded)))
    return 'uses the words of the approval dialog';
  return speakerIn(text);
}

const read = (text: string) => atAGlance(foldText(text));

function characterOf(_: string, hex: string | undefined, decimal: string | undefined): string {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function speakerIn(text: string): string | undefined {
  const parts = text.split(PART_END);
  for (let i = 0; i < parts.length; i += 2) {
    const part = read(parts[i]!);
    const isIntroduction = parts[i + 1]?.startsWith(':') === true;
    if (MARKER.test(part) && (isIntroduction || QUOTED.test(parts[i]!)))
      return 'imitates the line that names the server';
    if (UNNAMED.test(part) || WAITS.test(part) || isSpokenByProxy(part, isIntroduction))
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
