import { toStorableText, type StoredFacet } from '../../record/entry.ts';
import { type ActivityRow, shownType } from '../../record/row.ts';
import { marksOf, operationMarks, searchText, callerMarks } from '../../query/text-marks.ts';
import { wordsOf } from '../../query/words.ts';

/** No more of the arguments is searched. */
const MAX_ARGUMENTS = 262_144;

/**
 * What is found of a record: its words and marks for its other values, with spaces between. That a call runs or has ended well is not
 * marked: so the words of most records are written once, when they are opened.
 */
export function indexedWords(row: ActivityRow, facet: StoredFacet): string {
  const names = facet.unlisted ? row : facet;
  const marks = marksOf({
    type: shownType(facet),
    ...(isMarked(facet.status) && { status: facet.status }),
    server: names.server_name,
    tool: names.tool_name,
    session_id: row.session_id,
    request_id: row.request_id,
    conversation_id: row.conversation_id,
  });
  const searched =
    row.arguments !== null && row.arguments.length > MAX_ARGUMENTS
      ? { ...row, arguments: row.arguments.slice(0, MAX_ARGUMENTS) }
      : row;
  // A word that was cut may end in half a character, which the server would not take.
  return toStorableText(
    [...marks, ...operationMarks(facet), ...callerMarks(row), ...wordsOf(searchText(searched, facet))].join(
      ' ',
    ),
  );
}

/** Whether records of this status are marked with it. */
export const isMarked = (status: string): boolean =>
  status !== 'pending' && status !== 'held' && status !== 'success';
