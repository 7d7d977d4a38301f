/** Where one client runs: an empty home, an empty project, and the scripted model. */
export interface Place {
  readonly home: string;
  readonly work: string;
  readonly modelUrl: string;
}

/** A client program, and how a script uses it. */
export interface ClientProgram {
  /** Its name for `mcpproxy connect`. */
  readonly id: string;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly bin: string;
  /** Its own settings, by path below the home: the scripted model, no questions at the first start, no telemetry. */
  files(place: Place): Readonly<Record<string, string>>;
  env(place: Place): Readonly<Record<string, string>>;
  /** Arguments of a run without a person. */
  headless(prompt: string): readonly string[];
  readonly terminal: TerminalUse;
  /** What it offers to a person besides tools. */
  readonly offers: Offers;
}

export interface Offers {
  /** Prompts of servers are commands. */
  readonly prompt: boolean;
  /** The command that makes it look for prompts again: it drops those that a server lists late. */
  readonly reload?: string;
  /** A person can attach a resource; `model`: only the model can read one. */
  readonly resource: boolean | 'model';
  /** It shows the forms of servers. */
  readonly elicitation: boolean;
}

/** How a person uses it in a terminal. In each of these programs, Enter in the dialog means "yes, once" and Escape "no". */
export interface TerminalUse {
  readonly args: readonly string[];
  /** On the screen when a prompt can be typed. */
  readonly ready: RegExp;
  /** On the screen while the program asks whether a tool may run. */
  readonly asks: RegExp;
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
