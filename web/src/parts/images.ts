/** Formats that a browser draws without running anything. */
const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const MAX_IMAGES = 10;

/** Images in a tool's result, as addresses that need no request. */
export function imagesOf(response: unknown): Array<{ source: string; type: string }> {
  const content = (response as { content?: unknown } | undefined)?.content;
  if (!Array.isArray(content)) return [];
  return content
    .flatMap((block: unknown) => {
      const { type, data, mimeType } = (block ?? {}) as Record<string, unknown>;
      if (type !== 'image' || typeof data !== 'string' || typeof mimeType !== 'string') return [];
      if (!DRAWN.has(mimeType) || !/^[A-Za-z0-9+/]+=*$/.test(data)) return [];
      return [{ source: `data:${mimeType};base64,${data}`, type: mimeType }];
    })
    .slice(0, MAX_IMAGES);
}
