import type { Io } from '../io.ts';
import { grouped } from '../../../lib/visible-text.ts';
import { styleFor } from './style.ts';

/** Progress of a long operation on stderr: a bar on a terminal, otherwise a line for every tenth of the work. */
export interface ProgressBar {
  /** `label` names the step; it is shown alone if the total is unknown (1 or less). */
  show(label: string, done: number, total: number): void;
  /** Ends the line of the bar. */
  end(): void;
}

const WIDTH = 30;
const EVERY_MS = 100;
/** Lines per step without a terminal. */
const PARTS = 10;

export function createProgressBar(io: Io, now: () => number = () => performance.now()): ProgressBar {
  const { colors } = styleFor(io, 'err');
  let label = '';
  let drawn = 0;
  let started = 0;
  let startedWith = 0;
  let part = -1;

  function draw(done: number, total: number): void {
    const filled = Math.floor((done / total) * WIDTH);
    const rate = Math.round(((done - startedWith) * 1000) / Math.max(1, now() - started));
    const bar = `${'█'.repeat(filled)}${colors.dim('░'.repeat(WIDTH - filled))}`;
    io.err(
      `\r\u001b[K${label} ${bar} ${percent(done, total)} ${of(done, total)}${rate > 0 ? ` ${grouped(rate)}/s` : ''}`,
    );
  }

  function begin(next: string, done: number): void {
    if (label !== '' && io.terminal.err) io.err('\n');
    [label, started, startedWith, part, drawn] = [next, now(), done, -1, 0];
  }

  return {
    show(next, done, total) {
      const isNew = next !== label;
      if (isNew) begin(next, done);
      if (total <= 1) return void (isNew && io.err(io.terminal.err ? label : `${label}\n`));
      if (io.terminal.err) {
        if (now() - drawn < EVERY_MS && done < total) return;
        drawn = now();
        return draw(done, total);
      }
      const reached = Math.floor((done / total) * PARTS);
      if (reached > part) io.err(`${label} ${percent(done, total)} ${of(done, total)}\n`);
      part = Math.max(part, reached);
    },
    end() {
      if (label !== '' && io.terminal.err) io.err('\n');
      label = '';
    },
  };
}

const of = (done: number, total: number) => `${grouped(done)} of ${grouped(total)}`;
const percent = (done: number, total: number) => `${String(Math.floor((done / total) * 100)).padStart(3)} %`;
