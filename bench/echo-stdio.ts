import { answerTo } from './echo-answers.ts';
import { lineWriter, readLines } from './lines.ts';
import type { Rpc } from './wire.ts';

// The echo upstream over stdio.

const write = lineWriter(process.stdout);
readLines(process.stdin, (line) => {
  const answer = answerTo(JSON.parse(line) as Rpc);
  if (answer) write(JSON.stringify(answer));
});
process.stdin.on('end', () => process.exit(0));
