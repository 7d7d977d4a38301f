import { Link } from 'wouter';

/** The set-up steps, shown until a server and a client are connected. */
export function FirstSteps({ hasServers, hasCalls }: { hasServers: boolean; hasCalls: boolean }) {
  if (hasServers && hasCalls) return null;
  return (
    <section className="card stack">
      <h2>Get started</h2>
      <ol className="steps">
        <li className={hasServers ? 'step-done' : undefined}>
          <Link href="/servers">Add a server</Link>, or import the servers of a client.
        </li>
        <li className={hasCalls ? 'step-done' : undefined}>
          <Link href="/connect">Connect a client</Link>: it gets a token of its own, and you see what to write
          into its files.
        </li>
      </ol>
    </section>
  );
}
