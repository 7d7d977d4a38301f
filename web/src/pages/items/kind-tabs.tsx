import { Link, useLocation } from 'wouter';

const KINDS = [
  ['/tools', 'Tools'],
  ['/prompts', 'Prompts'],
  ['/resources', 'Resources'],
] as const;

/** What servers offer, each on a page of its own. */
export function KindTabs() {
  const [here] = useLocation();
  return (
    <nav aria-label="What servers offer" className="tabs">
      {KINDS.map(([path, title]) => (
        <Link key={path} href={path} aria-current={here === path ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
