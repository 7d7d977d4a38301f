const CHUNK_CHARACTERS = 65_536;

export interface TextFormat<T> {
  head: string;
  line: (item: T) => string;
}

/**
 * Text made item by item, only as fast as it is read; a reader that goes away ends the source. The first item is fetched before this
 * resolves, so that a source that cannot start is still an error with a status.
 */
export async function streamText<T>(
  source: AsyncIterable<T> | Iterable<T>,
  { head, line }: TextFormat<T>,
): Promise<ReadableStream<Uint8Array>> {
  const items = iterate(source);
  const encoder = new TextEncoder();
  let next = await items.next();
  let text = head;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (!next.done && text.length < CHUNK_CHARACTERS) {
          text += line(next.value);
          next = await items.next();
        }
        if (text !== '') controller.enqueue(encoder.encode(text));
        text = '';
        if (next.done) controller.close();
      },
      async cancel() {
        await items.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}

async function* iterate<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* source;
}
