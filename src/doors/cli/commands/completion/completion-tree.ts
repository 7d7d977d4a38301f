import type { Command, Option } from 'commander';

/** The command tree as completion sees it: for each place, what may come next. */
export interface Place {
  /** Words that lead here, without the program's name: "activity list". */
  path: string;
  summary: string;
  subcommands: Array<{ name: string; summary: string }>;
  flags: Flag[];
  /** Fixed values of the command's arguments. */
  values: string[];
}

export interface Flag {
  names: string[];
  description: string;
  /** What the flag takes: nothing, one of these, a file or directory, or something we cannot know. */
  takes: 'nothing' | 'file' | 'anything' | readonly string[];
}

export function placesOf(program: Command, path: string[] = []): Place[] {
  const here: Place = {
    path: path.join(' '),
    summary: program.summary(),
    subcommands: program.commands.map((command) => ({ name: command.name(), summary: command.summary() })),
    flags: [
      ...program.options.map(flagOf),
      { names: ['-h', '--help'], description: 'show this help', takes: 'nothing' },
    ],
    values: program.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  };
  return [here, ...program.commands.flatMap((command) => placesOf(command, [...path, command.name()]))];
}

function flagOf(option: Option): Flag {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  return { names, description: option.description, takes: takenBy(option) };
}

function takenBy(option: Option): Flag['takes'] {
  if (!option.required && !option.optional) return 'nothing';
  if (option.argChoices) return option.argChoices;
  return /<(file|dir)>/.test(option.flags) ? 'file' : 'anything';
}

/** Every flag with the place it is valid in, for the word after it. */
export function flagPlaces(places: Place[]): Array<{ path: string; name: string; flag: Flag }> {
  return places.flatMap(({ path, flags }) =>
    flags.flatMap((flag) => flag.names.map((name) => ({ path, name, flag }))),
  );
}

/** "place word" pairs that lead one level deeper. */
export function steps(places: Place[]): string[] {
  return places.flatMap(({ path, subcommands }) => subcommands.map(({ name }) => `${path} ${name}`));
}
