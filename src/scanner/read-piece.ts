import { id, type Concept } from './concepts.ts';

/** The names that a definition declares. Any other name belongs to another tool. */
export interface OwnNames {
  tool: string;
  arguments: ReadonlySet<string>;
  /** The specific words of the tool's name: tools of one server often share them. */
  words: ReadonlySet<string>;
  /** Concepts that the tool's name is about. */
  about: readonly number[];
}

const MARKS = new Set('important system secret hidden override inst sys im endoftext'.split(' '));
const SOFT_MARKS = new Set(
  'instructions instruction critical mandatory admin assistant user security directive note'.split(' '),
);

const SPEAKER = /^(?:system|assistant|human|agent|ai|model|llm|instructions?):$/i;
const EDGES = new Set('"\'`()[]{}<>*“”«»‘’.,;:!?…');
const NAME = /^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+$|^[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$/;
/** First words that tell the name of a tool from the name of a field. */
const VERBS = new Set(
  'get set list create add update delete remove send read write search find fetch run execute call post put push open close move copy make edit mark query show check start stop book transfer pay upload download browser deploy publish export import insert select describe'.split(
    ' ',
  ),
);
const COMMON_WORDS = new Set(
  'get set list create add update delete remove send read write search find fetch run execute check tool id by for and the all to of'.split(
    ' ',
  ),
);

export const wordsOf = (name: string): string[] =>
  name
    .slice(0, 80)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

/** The words of a name that are not common to tools of any server. */
export const specificWordsOf = (name: string): Set<string> =>
  new Set(wordsOf(name).filter((word) => word.length > 1 && !COMMON_WORDS.has(word)));

/** A fixed identifier: a long number, an account. */
const FIXED = /^\d{5,}$|^(?:0x|bc1)[0-9a-z]{12,}$/i;
const ADDRESS = /:\/\/[^\s|;'"`)<>]*/g;
/** Separates two clauses: a negation in one does not apply to the next. */
export const CLAUSE_END = '';
const COMMON = /^[a-z]+$/;
const WORD = /[\p{L}\p{N}']+/gu;

/** Where secrets are kept on the machine that runs the agent. */
const SECRET_PLACES = [
  '.ssh', 'id_rsa', 'id_ed25519', 'authorized_keys', '.aws/', '.aws', '.netrc', '/etc/passwd', '/etc/shadow', '.kube/config', 'mcp.json',
  'mcp_config', '.cursor/', '.npmrc', '.pypirc', '.git-credentials', '.pgpass', 'wallet.dat', 'keychain', '.bash_history', '.zsh_history',
  'claude_desktop_config', '/proc/self/environ', '.docker/config', '.gnupg', '.bashrc', '.zshrc', '.config/', 'credentials.json', 'login data',
  '/etc/hosts', '/etc/sudoers', 'secrets.', '.vault', 'kubeconfig', '.pem', '.p12', '.keystore', 'shadow', '.gitconfig', '/root/', '.azure', '.gcloud',
]; // prettier-ignore
const ENV_FILE = /^\.env(?:\.[a-z]{1,20})?$|\/\.env(?:\.[a-z]{1,20})?$/;

function isSecretPlace(piece: string): boolean {
  if (!/[._/]|key/.test(piece)) return false;
  const lower = piece.slice(0, 200).toLowerCase();
  return SECRET_PLACES.some((place) => lower.includes(place)) || ENV_FILE.test(lower);
}

/** Collects the words of one sentence, and the concepts that follow from the form of its pieces. A piece is the text between two spaces. */
export class PieceReader {
  readonly words: string[] = [];
  readonly concepts: number[] = [];
  readonly #own: OwnNames;
  /** The last name of another tool. */
  #lastName: string | undefined;

  constructor(own: OwnNames) {
    this.#own = own;
  }

  read(piece: string): void {
    // Most pieces are one lower-case word.
    if (COMMON.test(piece)) {
      this.#addOwnName(piece);
      this.words.push(piece);
      return;
    }
    if (/[<[{#|]/.test(piece)) this.#addMarks(piece);
    else if (SPEAKER.test(piece)) this.#add('softMark');
    const core = trimmed(piece);
    if (core !== '') this.#readCore(core, piece);
    else if (piece === '|') this.#add('pipe');
  }

  #readCore(core: string, piece: string): void {
    const address = addressKind(core);
    if (address) this.#add(address);
    if (isSecretPlace(core)) this.#add('place');
    if (!this.#addOwnName(core) && !this.#addOtherName(core) && isLiteral(core, piece)) this.#add('literal');
    if (core.length > 2 && core === core.toUpperCase() && /^[A-Z]+$/.test(core)) this.#add('loud');
    for (const word of wordsBeside(address, core).match(WORD) ?? []) this.words.push(word.toLowerCase());
    if (/[,:;]$/.test(piece)) this.words.push(CLAUSE_END);
  }

  #add(concept: Concept): void {
    this.concepts.push(id(concept));
  }

  #addOwnName(name: string): boolean {
    if (this.#own.arguments.has(name)) this.#add('ownArgument');
    else if (name === this.#own.tool) this.#add('ownName');
    else return false;
    return true;
  }

  #addOtherName(name: string): boolean {
    if (!NAME.test(name.slice(0, 80))) return false;
    this.#add('otherName');
    const words = wordsOf(name);
    if (VERBS.has(words[0]!)) this.#add('verbName');
    if (words.some((word) => this.#own.words.has(word))) this.#add('sibling');
    if (this.#lastName !== undefined && this.#lastName !== name) this.#add('twoNames');
    this.#lastName = name;
    return true;
  }

  #addMarks(piece: string): void {
    if (piece.startsWith('<!--')) this.#add('softMark');
    const lower = piece.slice(0, 200).toLowerCase();
    for (const [, inner = ''] of lower.matchAll(/[<[{|#]\/?([a-z]+)(?![a-z_-])/g)) {
      if (MARKS.has(inner)) this.#add('mark');
      else if (SOFT_MARKS.has(inner)) this.#add('softMark');
    }
  }
}

function addressKind(core: string): 'url' | 'mailbox' | undefined {
  if (core.includes('://')) return 'url';
  return /^[^@]+@[^@]+\.[^@]/.test(core.slice(0, 100)) ? 'mailbox' : undefined;
}

function isLiteral(core: string, piece: string): boolean {
  return FIXED.test(core.slice(0, 80)) || (core.length + 2 <= piece.length && /^["'`“‘]/.test(piece));
}

/** The words of an address carry no meaning; a command behind a URL does. */
function wordsBeside(address: 'url' | 'mailbox' | undefined, core: string): string {
  if (address === 'url') return core.replace(ADDRESS, ' ');
  return address ? '' : core;
}

function trimmed(piece: string): string {
  let [start, end] = [0, piece.length];
  // A dot in front belongs to a name such as .env.
  while (start < end && EDGES.has(piece[start]!) && piece[start] !== '.') start++;
  while (end > start && EDGES.has(piece[end - 1]!)) end--;
  return piece.slice(start, end);
}
