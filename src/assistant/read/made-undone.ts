/** Wishes to take back what was done. No tool can do that, so they are never taken for another wish. */
const TAKES_BACK =
  /^(?:please\s+|can you\s+|could you\s+)*(?:undo|revert|roll ?back|restore|reopen|re-open|uncheck|untick|unmark|un-?complete|bring back)\b|\b(?:as|is|are|to)\s+(?:not\s+(?:yet\s+)?(?:done|complete|completed|finished)|undone|unfinished|incomplete|open again|pending again)\b/i;

export function takesBack(text: string): boolean {
  return TAKES_BACK.test(text.trim());
}

export const CANNOT_TAKE_BACK =
  'I cannot take back what was done, so I have changed nothing. A task can be put on the list once more with “add …”, and its text changed with “change … to …”.';
