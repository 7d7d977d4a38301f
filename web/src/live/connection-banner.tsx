import { useIsLost } from './connection.ts';

/** Warns that the data may be out of date while the proxy does not answer. */
export function ConnectionBanner() {
  if (!useIsLost()) return null;
  return (
    <div className="note note-bad connection-banner" role="alert">
      <p>
        <strong>Connection to the proxy lost. Retrying…</strong>
      </p>
      <p>
        The data on this page may be out of date. If the proxy is stopped, start it with{' '}
        <code>mcpproxy serve</code>. This page reconnects automatically.
      </p>
    </div>
  );
}
