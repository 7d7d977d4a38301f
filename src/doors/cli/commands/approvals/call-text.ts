import type { ApprovalDetail } from '../../../../contract/approval.ts';
import { markedJson } from '../../../../json/index.ts';
import { escapeJsonText } from '../../output/safe-json.ts';
import type { Style } from '../../output/style.ts';
import { heading } from '../../output/table.ts';

const [OPEN, CLOSE] = ['⟦', '⟧'];

/** The call exactly as it will run. What is masked elsewhere stands between marks of ours, which no text of an agent can imitate. */
export function callText(style: Style, approval: ApprovalDetail): string {
  const { arguments: args, input_responses: brought } = approval;
  return [
    heading(style, 'Arguments'),
    notWhole(style, approval),
    `${marked(style, approval, args, '/arguments')}\n`,
    brought === undefined
      ? ''
      : `${heading(style, 'Answers to the server')}${marked(style, approval, brought, '/input_responses')}\n`,
    maskedNote(style, approval),
  ].join('');
}

function marked(
  { colors }: Style,
  { masked_parts: parts }: ApprovalDetail,
  value: unknown,
  root: string,
): string {
  return markedJson(value, parts, root)
    .map(({ text, kind }) => {
      const shown = escapeJsonText(text).replace(/[⟦⟧]/g, escaped);
      return kind === undefined ? shown : colors.yellow(`${OPEN}masked ${kind}: ${shown}${CLOSE}`);
    })
    .join('');
}

/** An escape of JSON: the text is the same. */
const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16)}`;

function maskedNote({ colors }: Style, { masked_parts: { length } }: ApprovalDetail): string {
  if (length === 0) return '';
  const what = length === 1 ? '1 part is' : `${length} parts are`;
  return colors.yellow(
    `! ${what} masked in the log and in listings, and shown here between ${OPEN} and ${CLOSE}; that is recorded\n`,
  );
}

function notWhole({ colors }: Style, { arguments_complete: isWhole, status }: ApprovalDetail): string {
  if (isWhole) return '';
  return colors.yellow(
    status === 'pending'
      ? '! the call cannot be shown whole, so it cannot be approved; deny it, and the caller can ask again later\n'
      : '! secrets are masked, and what is too long is cut: the call is settled, and is kept like this\n',
  );
}
