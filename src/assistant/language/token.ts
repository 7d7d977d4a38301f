/** A word as the grammar compares it, and where it stands in the cleaned message. Words of one short form share their place. */
export interface Token {
  word: string;
  start: number;
  end: number;
  /** Inside quotation marks: a name or a text, never an order. */
  quoted: boolean;
  /** A comma, dash or bracket stands before it. */
  afterComma: boolean;
  /** Spelled otherwise in the message. */
  mended: boolean;
}

export interface Sentence {
  tokens: Token[];
  question: boolean;
}

export interface Message {
  /** As written, without characters that cannot be seen. */
  clean: string;
  sentences: Sentence[];
  /** The whole of it stands in quotation marks. */
  quoted: boolean;
}
