// Text from upstreams, clients and agents may carry escape sequences, bidi overrides or invisible characters. Whatever goes to a
// terminal or a log line passes here first, so that such characters are shown instead of obeyed. One variation selector chooses the form
// of the character before it; any other says something that nobody sees.
export const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|[\u{e0000}-\u{e007f}]|(?<![#*0-9\u0080-\ufdff\ufe10-\u{e00ff}\u{e01f0}-\u{10ffff}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

function show(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Keeps line breaks and tabs; makes every other control or invisible character visible. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, show);
}

/** The same on one line: line breaks and tabs are shown too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t'));
}
