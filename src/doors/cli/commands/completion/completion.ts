import { Argument, type Command } from 'commander';
import { completionScript, SHELLS, type Shell } from './completion-scripts.ts';
import { define, type Bind } from '../../define.ts';

/** The tree is asked for when the command runs, as this command is itself part of it. */
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
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action(bind(({ io }, _, shell) => io.out(completionScript(shell as Shell, program()))));
}
