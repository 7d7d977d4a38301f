/** A secret in a text: from its first character to behind its last. */
export interface SecretSpan {
  kind: string;
  start: number;
  end: number;
}

/** What a rule has found at one place. Nothing before `end` needs to be looked at again. */
export interface Found {
  spans: SecretSpan[];
  end: number;
}

export function one(kind: string, start: number, end: number): Found {
  return { spans: [{ kind, start, end }], end };
}
