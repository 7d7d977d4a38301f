import { startPostgres } from '../fixtures/postgres-server.ts';

/** One attack: what is tried, and what must not happen. */
export interface Attack {
  /** The row of the threat model. */
  threat: string;
  title: string;
  run: (tally: Tally, scale: Scale, newDatabase: NewDatabase) => Promise<void>;
}

/** A new, empty database of a PostgreSQL. */
export type NewDatabase = () => Promise<{ url: string; remove: () => Promise<void> }>;

/** `full` takes minutes and is for the script; `quick` is for the suite. */
export type Scale = 'quick' | 'full';

export interface Tally {
  /** One try. False: it got through. */
  held(ok: boolean, what: string): void;
  /** A number worth printing. */
  figure(text: string): void;
  /** It cannot be tried on this machine, and why. */
  notHere(why: string): void;
}

export interface Result {
  threat: string;
  title: string;
  tried: number;
  breaches: string[];
  figures: string[];
  notHere?: string;
}

/** An attack that cannot be made, as the ground for it broke, has not been withstood. */
export async function attempt(
  { threat, title, run }: Attack,
  scale: Scale,
  newDatabase: NewDatabase = ownPostgres,
): Promise<Result> {
  const result: Result = { threat, title, tried: 0, breaches: [], figures: [] };
  const tally: Tally = {
    held(ok, what) {
      result.tried++;
      if (!ok) result.breaches.push(what);
    },
    figure: (text) => void result.figures.push(text),
    notHere: (why) => void (result.notHere = why),
  };
  try {
    await run(tally, scale, newDatabase);
  } catch (error) {
    result.breaches.push(`could not be tried: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (result.tried === 0 && result.notHere === undefined) result.breaches.push('nothing was tried');
  return result;
}

const ownPostgres: NewDatabase = async () => {
  const server = await startPostgres();
  return { url: await server.createDatabase(), remove: () => server.remove() };
};
