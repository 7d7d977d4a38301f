import { clockTime } from '../parts/time.tsx';
import { lostSince, useIsLost } from './connection.ts';

/** Warns that the data is out of date while the proxy does not answer, and since when. */
export function ConnectionBanner() {
  if (!useIsLost()) return null;
  return (
    <div className="note note-bad connection-banner" role="alert">
      <p>
        <strong>Connection to the proxy lost at {clockTime(lostSince())}. Retrying…</strong>
      </p>
      <p>
        What you see is old. If the proxy is stopped, start it with <code>mcpproxy serve</code>. This page
        reconnects automatically.
      </p>
    </div>
  );
}
