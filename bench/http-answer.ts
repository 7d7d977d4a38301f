export interface Answer {
  status: number;
  body: string;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Takes HTTP/1.1 answers apart as they arrive on one connection, one at a time. Only what servers of the bench send. */
export function createAnswerReader(onAnswer: (answer: Answer) => void): (chunk: Buffer) => void {
  let waiting: Buffer | undefined;
  return (chunk) => {
    const data = waiting ? Buffer.concat([waiting, chunk]) : chunk;
    const answer = parseAnswer(data);
    waiting = answer ? undefined : data;
    if (answer) onAnswer(answer);
  };
}

function parseAnswer(data: Buffer): Answer | undefined {
  const end = data.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = data.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  const start = end + HEAD_END.length;
  if (length === undefined) {
    const body = dechunked(data, start);
    return body === undefined ? undefined : { status, body };
  }
  const stop = start + Number(length);
  return data.length < stop ? undefined : { status, body: data.toString('latin1', start, stop) };
}

/** `undefined` until the last, empty chunk is there. */
function dechunked(data: Buffer, start: number): string | undefined {
  let body = '';
  for (let at = start; ;) {
    const line = data.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(data.toString('latin1', at, line), 16);
    const stop = line + 2 + size;
    if (data.length < stop + 2) return undefined;
    if (size === 0) return body;
    body += data.toString('latin1', line + 2, stop);
    at = stop + 2;
  }
}
