import type { ClientProgram } from './program.ts';
import { claudeCode } from './programs/claude-code.ts';
import { codex } from './programs/codex.ts';
import { continueCli } from './programs/continue.ts';
import { copilot } from './programs/copilot.ts';
import { gemini } from './programs/gemini.ts';
import { opencode } from './programs/opencode.ts';
import { qwen } from './programs/qwen.ts';

/** The client programs that `npm run clients` drives, in the order of the table. */
export const PROGRAMS: readonly ClientProgram[] = [
  claudeCode,
  codex,
  gemini,
  copilot,
  opencode,
  qwen,
  continueCli,
];
