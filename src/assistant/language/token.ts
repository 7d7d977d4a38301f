/** A word as the grammar compares it, and where it stands in the cleaned message. Words of one short form share their place. */
export interface Token {
  word: string;
  start: number;
  end: number;
  /** Inside quotation marks: a name or a text, never a command. */
  quoted: boolean;
  /** Follows a comma, dash or bracket. */
  afterComma: boolean;
  /** Its spelling was corrected. */
  corrected: boolean;
}

export interface Sentence {
  tokens: Token[];
  question: boolean;
}

export interface Message {
  /** As written, without invisible characters. */
  clean: string;
  sentences: Sentence[];
  /** The whole message is in quotation marks. */
  quoted: boolean;
}
