import { Argument, type Command, type Option } from 'commander';
import { define, type Bind } from '../define.ts';

/** Gets the command tree as a function, because this command is part of the tree. */
export function completion(bind: Bind, program: () => Command): Command {
  return define('completion', {
    summary: 'Print a completion script for your shell',
    examples: [
      'source <(mcpproxy completion bash)',
      'mcpproxy completion zsh > "${fpath[1]}/_mcpproxy"',
      'mcpproxy completion fish > ~/.config/fish/completions/mcpproxy.fish',
    ],
    globals: [],
  })
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(bind(({ io }, _, shell) => io.out(completionScript(shell as Shell, program()))));
}

const SCRIPTS = { bash, zsh, fish };
type Shell = keyof typeof SCRIPTS;
const SHELLS = Object.keys(SCRIPTS) as Shell[];

/** A script for the shell to source. It does not run the program again. */
function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](commandNodes(program));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Completions for the word after a flag, as `case` branches on "path:flag". */
function valueBranches(
  places: CommandNode[],
  branch: (takes: Exclude<Flag['takes'], 'nothing'>) => string,
): string {
  return flagsWithPath(places)
    .flatMap(({ path, name, flag }) =>
      flag.takes === 'nothing' ? [] : [`    ${quote(`${path}:${name}`)}) ${branch(flag.takes)} ;;`],
    )
    .join('\n');
}

function candidates({ subcommands, values, flags }: CommandNode): string[] {
  return [
    ...subcommands.map(({ name }) => name),
    ...values,
    ...flags.flatMap(({ names }) => names.at(-1) ?? []),
  ];
}

/** Finds the command of the words typed so far. The same lines work in bash and zsh. */
function walk(
  places: CommandNode[],
  { words, from, to }: { words: string; from: number; to: string },
): string {
  return `  local place='' word i
  for ((i = ${from}; i < ${to}; i++)); do
    word="\${${words}[i]}"
    case "$place $word" in
      ${steps(places).map(quote).join(' | ')}) place="\${place:+$place }$word" ;;
    esac
  done`;
}

function bash(places: CommandNode[]): string {
  const value = (takes: Exclude<Flag['takes'], 'nothing'>) => {
    if (takes === 'anything') return 'return';
    if (takes === 'file') return 'COMPREPLY=($(compgen -f -- "$cur")); return';
    return `COMPREPLY=($(compgen -W ${quote(takes.join(' '))} -- "$cur")); return`;
  };
  return `# bash completion for mcpproxy: source <(mcpproxy completion bash)
_mcpproxy() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" list=''
${walk(places, { words: 'COMP_WORDS', from: 1, to: 'COMP_CWORD' })}
  COMPREPLY=()
  case "$place:$prev" in
${valueBranches(places, value)}
  esac
  case "$place" in
${places.map((place) => `    ${quote(place.path)}) list=${quote(candidates(place).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$list" -- "$cur"))
}
complete -o filenames -F _mcpproxy mcpproxy
`;
}

function zsh(places: CommandNode[]): string {
  const value = (takes: Exclude<Flag['takes'], 'nothing'>) => {
    if (takes === 'anything') return 'return 1';
    if (takes === 'file') return '_files; return';
    return `compadd -- ${takes.join(' ')}; return`;
  };
  const described = (place: CommandNode) => {
    const words = [
      ...place.subcommands.map(({ name, summary }) => [name, summary] as const),
      ...place.values.map((name) => [name, ''] as const),
      ...place.flags.map(({ names, description }) => [names.at(-1)!, description] as const),
    ];
    return words.map(([name, text]) => quote(`${name}:${text.replaceAll(':', '\\:')}`)).join(' ');
  };
  return `#compdef mcpproxy
# zsh completion for mcpproxy: mcpproxy completion zsh > "\${fpath[1]}/_mcpproxy"
_mcpproxy() {
  local prev="\${words[CURRENT-1]}"
  local -a list
${walk(places, { words: 'words', from: 2, to: 'CURRENT' })}
  case "$place:$prev" in
${valueBranches(places, value)}
  esac
  case "$place" in
${places.map((place) => `    ${quote(place.path)}) list=(${described(place)}) ;;`).join('\n')}
  esac
  _describe 'mcpproxy' list
}
if [ "\${funcstack[1]}" = "_mcpproxy" ]; then _mcpproxy "$@"; else compdef _mcpproxy mcpproxy; fi
`;
}

function fish(places: CommandNode[]): string {
  const escape = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const at = (path: string) => `complete -c mcpproxy -n ${escape(`__mcpproxy_at ${path}`)}`;
  const flagLine = (path: string, { names, description, takes }: Flag) => {
    const parts = names.map((name) =>
      name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
    );
    if (takes === 'file') parts.push('-r -F');
    else if (takes === 'anything') parts.push('-x');
    else if (takes !== 'nothing') parts.push(`-x -a ${escape(takes.join(' '))}`);
    return `${at(path)} ${parts.join(' ')} -d ${escape(description)}`;
  };
  const lines = places.flatMap(({ path, subcommands, values, flags }) => [
    ...subcommands.map(({ name, summary }) => `${at(path)} -a ${name} -d ${escape(summary)}`),
    ...(values.length > 0 ? [`${at(path)} -a ${escape(values.join(' '))}`] : []),
    ...flags.map((flag) => flagLine(path, flag)),
  ]);
  return `# fish completion for mcpproxy: mcpproxy completion fish > ~/.config/fish/completions/mcpproxy.fish
function __mcpproxy_at
  set -l place
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    switch "$place $word"
      case ${steps(places).map(escape).join(' ')}
        set place (string trim -- "$place $word")
    end
  end
  test "$place" = "$argv"
end
complete -c mcpproxy -f
${lines.join('\n')}
`;
}

/** A command of the tree with everything that can follow it. */
interface CommandNode {
  /** The words of the command without the program's name: "activity list". */
  path: string;
  summary: string;
  subcommands: Array<{ name: string; summary: string }>;
  flags: Flag[];
  /** Fixed values of the command's arguments. */
  values: string[];
}

interface Flag {
  names: string[];
  description: string;
  /** The value of the flag: none, one of these, a file or directory, or unknown. */
  takes: 'nothing' | 'file' | 'anything' | readonly string[];
}

export function commandNodes(program: Command, path: string[] = []): CommandNode[] {
  const here: CommandNode = {
    path: path.join(' '),
    summary: program.summary(),
    subcommands: program.commands.map((command) => ({ name: command.name(), summary: command.summary() })),
    flags: [
      ...program.options.map(flagOf),
      { names: ['-h', '--help'], description: 'show help', takes: 'nothing' },
    ],
    values: program.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  };
  return [here, ...program.commands.flatMap((command) => commandNodes(command, [...path, command.name()]))];
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

/** Every flag with the command that it belongs to. */
function flagsWithPath(places: CommandNode[]): Array<{ path: string; name: string; flag: Flag }> {
  return places.flatMap(({ path, flags }) =>
    flags.flatMap((flag) => flag.names.map((name) => ({ path, name, flag }))),
  );
}

/** "path word" pairs that lead to a subcommand. */
function steps(places: CommandNode[]): string[] {
  return places.flatMap(({ path, subcommands }) => subcommands.map(({ name }) => `${path} ${name}`));
}
