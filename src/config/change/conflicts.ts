import { ProxyError } from '../../contract/errors.ts';

/** The change was reviewed against another revision than the one in force. */
export function reviewedAnother(revision: number | undefined): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `The configuration was changed meanwhile: revision ${revision ?? 0} is in force now. Review the change again, then repeat it`,
    { revision: revision ?? 0 },
  );
}

/** An edit on top of a file that waits would put the whole file into force. */
export function waitsFirst(file: string): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `An edit of ${file} waits for a confirmation. Review it with "mcpproxy status", then run "mcpproxy config accept" or undo the edit`,
    { file },
  );
}
