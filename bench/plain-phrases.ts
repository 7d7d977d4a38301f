/** What a filter of well-known phrases finds: the baseline that the scanner is compared with. */
const PHRASES =
  /ignore (?:all |any |the |your |my )*(?:previous|prior|above) (?:instructions|prompts|rules)|disregard (?:all |the )*(?:previous|above)|you are now |system prompt|<important>|do not (?:tell|mention|inform)|jailbreak|\.ssh\/|id_rsa/i;

export const hasPlainPhrase = (value: unknown): boolean => PHRASES.test(JSON.stringify(value));

export const shareOf = (found: number, all: number): string =>
  all === 0 ? 'none' : `${found} of ${all} (${((found / all) * 100).toFixed(1)} %)`;
