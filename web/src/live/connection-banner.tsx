import { useIsLost } from './connection.ts';

/** Marks everything on the page as possibly out of date while the proxy does not answer. */
export function ConnectionBanner() {
  if (!useIsLost()) return null;
  return (
    <div className="note note-bad connection-banner" role="alert">
      <p>
        <strong>Connection to the proxy lost; retrying …</strong>
      </p>
      <p>
        What this page shows may be out of date. If the proxy was stopped, start it with{' '}
        <code>mcpproxy serve</code>; this page continues by itself.
      </p>
    </div>
  );
}
