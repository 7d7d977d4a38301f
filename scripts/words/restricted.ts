/** Words and phrases that a reader has to decode, each with what to write instead. */
export const RESTRICTED: readonly { pattern: RegExp; instead: string }[] = [
  // One word per concept.
  { pattern: /\bcatalogues?\b/i, instead: 'catalog' },
  { pattern: /\bvisitors?\b/i, instead: 'caller' },
  { pattern: /\bmend(s|ed|ing)?\b/i, instead: 'fix' },
  { pattern: /\bcures?\b|\bcured\b/i, instead: 'fix' },
  // Riddles.
  { pattern: /\bwho(so)?ever\b/i, instead: 'name the subject: "a caller that …", "excess requests …"' },
  { pattern: /\bhears? (so|of it|about it)\b/i, instead: 'is told, gets an error, is rejected' },
  { pattern: /\bis none (that|which|of)\b/i, instead: '"invalid …" or "unknown …"' },
  { pattern: /\bspeaks? of\b/i, instead: 'mentions, matches' },
  { pattern: /\bturn(s|ed|ing)? away\b/i, instead: 'reject' },
  { pattern: /\b(take|takes|taken|took|taking) (it |them |this )?up\b/i, instead: 'resume, retry, start' },
  { pattern: /\bspared\b/i, instead: '"circuit breaker open; retry in N s"' },
  { pattern: /\bnot looked at\b/i, instead: 'rejected before it was read; not checked' },
  { pattern: /\blest\b/i, instead: 'so that … not' },
  { pattern: /\bbenefit of (no|the) doubt\b/i, instead: 'counts as the stricter operation' },
  { pattern: /\bthe credential is good\b/i, instead: '"This credential does not permit this"' },
  { pattern: /\bkeep it now\b/i, instead: '"Save it now. It won\'t be shown again."' },
  { pattern: /\bnot here:/i, instead: '"Not available for this command: …"' },
  { pattern: /\bis failed\b/i, instead: 'failed' },
  { pattern: /\bno tool (fits|speaks)\b/i, instead: '"No tools match these filters."' },
  { pattern: /\btoo (big|small): expected\b/i, instead: '"limit must be between 1 and 100"' },
  { pattern: /\b(one|the|a) checked road\b/i, instead: 'every call passes one policy checkpoint' },
  { pattern: /\bgives? (it|them|its place|a place) back\b/i, instead: 'release' },
  { pattern: /\b(lets?|letting) (it|them) go\b/i, instead: 'release' },
  { pattern: /\bhas gone on\b|\bhave gone on\b/i, instead: 'is ahead, has changed since' },
  { pattern: /\bthey that\b|\bhe who\b|\bthose who\b/i, instead: 'name the subject' },
  {
    pattern: /\bthereof\b|\bthereby\b|\bhereby\b|\bwherein\b|\bwhereof\b|\bhenceforth\b|\bheretofore\b/i,
    instead: 'plain words',
  },
  { pattern: /\bof old\b|\bin vain\b|\bnought\b|\bmayhap\b|\bperchance\b/i, instead: 'plain words' },
  {
    pattern: /\bgrandfather(ed|ing)?\b|\bblacklist(s|ed)?\b|\bwhitelist(s|ed)?\b/i,
    instead: 'legacy, denylist, allowlist',
  },
  {
    pattern:
      /\b1 (tools|servers|records|calls|tokens|approvals|tasks|files|lines|entries|warnings|errors)\b/i,
    instead: 'the singular',
  },
];
