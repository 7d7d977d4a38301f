/** How deep JSON may nest at any door. Parsing deeper input is cheap, but serialising it again overflows the stack. */
export const MAX_JSON_DEPTH = 64;

/** Scans JSON text before it is parsed: linear, no recursion. */
export function textExceedsDepth(text: string, max: number = MAX_JSON_DEPTH): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // a string: skip to its closing quote
        for (i++; i < text.length; i++) {
          const code = text.charCodeAt(i);
          if (code === 0x5c) i++;
          else if (code === 0x22) break;
        }
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > max) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
    }
  }
  return false;
}

/** The same for a value that is already parsed. */
export function valueExceedsDepth(value: unknown, max: number = MAX_JSON_DEPTH): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const children: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth >= max) return true;
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) children.push(child);
      }
    }
    level = children;
  }
  return false;
}
