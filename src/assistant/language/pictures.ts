// Pictures that stand for something. A face or a gesture is only how it was said, so the same few are left out everywhere.
const EACH = /(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic}/gu;
const FIRST = /^(?:\s*(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic})+/u;
const LAST = /(?:(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic}\s*)+$/u;
const ALONE = /^\s*((?:(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic}\s*)+)[.!]*\s*$/u;

export const picturesIn = (text: string): string[] => text.match(EACH) ?? [];
export const picturesFirst = (text: string): string => FIRST.exec(text)?.[0] ?? '';
export const picturesLast = (text: string): string => LAST.exec(text)?.[0] ?? '';
/** Where a text is nothing else. */
export const picturesAlone = (text: string): string | undefined => ALONE.exec(text)?.[1]?.trim();
