/** What was read of a text so far. */
interface QuoteState {
  text: string;
  at: number;
  /** The quote that is open, if quotes within other quotes are text. */
  open: string;
  /** Kinds of quotes, alone and with a backslash, that stood an odd number of times: in text within text, inner quotes are quotes too. */
  odd: ReadonlySet<string>;
}

let last: QuoteState = { text: '', at: 0, open: '', odd: new Set() };

/**
 * Whether the quote at this place may end a text that an earlier quote began, as in `rm 'token=' -r x`. Asked for rising places of one text,
 * it reads the text once.
 */
export function endsQuotedText(text: string, at: number): boolean {
  if (last.text !== text || last.at > at) last = { text, at: 0, open: '', odd: new Set() };
  while (last.at < at) readCharacter(last);
  const quote = quoteAt(text, at);
  return last.odd.has(quote) || last.open === quote;
}

function readCharacter(state: QuoteState): void {
  const quote = quoteAt(state.text, state.at);
  state.at += quote.length || 1;
  if (quote === '') return;
  const odd = new Set(state.odd);
  if (!odd.delete(quote)) odd.add(quote);
  state.odd = odd;
  if (quote.length > 1) return;
  if (state.open === '') state.open = quote;
  else if (state.open === quote) state.open = '';
}

/** The quote that begins here, with the backslash in front of it if there is one; else nothing. */
function quoteAt(text: string, at: number): string {
  if (isQuote(text.charCodeAt(at))) return text[at]!;
  return text.charCodeAt(at) === 0x5c && isQuote(text.charCodeAt(at + 1)) ? text.slice(at, at + 2) : '';
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60;
}
