import { ProxyError } from '../../../contract/errors.ts';

export interface ServerEvent {
  id?: string;
  event: string;
  data: string;
}

/** Events of the proxy are a few hundred bytes; anything beyond this is not one of them. */
const EVENT_LIMIT = 1_000_000;

/** Server-sent events from a stream of bytes, one at a time. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    // A lone CR at the end may be half of a CRLF; it waits for what follows.
    const whole = buffer.endsWith('\r') ? buffer.slice(0, -1) : buffer;
    const blocks = whole.split(/\r\n\r\n|\n\n|\r\r/);
    buffer = blocks.pop()! + buffer.slice(whole.length);
    if (buffer.length > EVENT_LIMIT)
      throw new ProxyError('INTERNAL', 'An event of the proxy exceeds the size limit');
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event) yield event;
    }
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  const data: string[] = [];
  let event = 'message';
  let id: string | undefined;
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id') id = value;
  }
  // An id alone moves the place to go on from.
  if (data.length === 0) return id === undefined ? undefined : { event: '', data: '', id };
  return { event, data: data.join('\n'), ...(id !== undefined && { id }) };
}
