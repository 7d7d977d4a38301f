import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Empty, Fetched } from '../../parts/states.tsx';
import { useOpened } from '../../parts/use-opened.ts';
import { Line } from '../../parts/untrusted.tsx';
import { StandingBadge } from '../tools/tool-drawer.tsx';
import { ReviewBar, type BarHandle } from './review-bar.tsx';
import { useReview } from './use-review.ts';
import './review.css';

/** New and changed tools, one after the other, by mouse or keyboard, one or several at once. */
export default function ReviewPage() {
  const waiting = useReview();
  return (
    <>
      <div className="row row-apart">
        <h1>Review of tools</h1>
        <Link href="/tools">All tools</Link>
      </div>
      <Fetched query={waiting} what="tools to review">
        {({ tools, isMore }) =>
          tools.length === 0 ? (
            <Empty title="No tools to review">
              <p>New and changed tools appear here.</p>
            </Empty>
          ) : (
            <Review tools={tools} isMore={isMore} />
          )
        }
      </Fetched>
    </>
  );
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), select, textarea');

function Review({ tools, isMore }: { tools: readonly JudgedTool[]; isMore: boolean }) {
  const [opened, setOpened] = useOpened('tool');
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const bar = useRef<BarHandle>(null);
  const index = Math.max(
    0,
    tools.findIndex(({ name }) => name === opened),
  );
  const tool = tools[index]!;
  const chosen = tools.filter(({ name }) => picked.has(name));
  const go = (to: number) => setOpened(tools[Math.min(tools.length - 1, Math.max(0, to))]!.name);
  const toggle = (name: string) => {
    const next = new Set(picked);
    if (!next.delete(name)) next.add(name);
    setPicked(next);
  };
  const keys: Record<string, () => void> = {
    ArrowRight: () => go(index + 1),
    ArrowLeft: () => go(index - 1),
    j: () => go(index + 1),
    k: () => go(index - 1),
    x: () => toggle(tool.name),
    a: () => bar.current?.ask('accept'),
    d: () => bar.current?.ask('destructive'),
    r: () => bar.current?.ask('reject'),
    Escape: () => bar.current?.cancel(),
  };
  const act = useRef(keys);
  useEffect(() => {
    act.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { ctrlKey, metaKey, altKey, repeat, key } = event;
      if (ctrlKey || metaKey || altKey || repeat || isTyping(event)) return;
      if (document.querySelector('dialog[open]')) return;
      const action = Object.hasOwn(act.current, key) ? act.current[key] : undefined;
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  return (
    <div className="review">
      <section className="card review-list" aria-label="Waiting">
        <div className="row row-apart">
          <h2>
            {counted(tools.length, 'tool')} {isMore && 'or more'}
          </h2>
          <label className="check">
            <input
              type="checkbox"
              checked={chosen.length === tools.length}
              onChange={({ target }) =>
                setPicked(new Set(target.checked ? tools.map(({ name }) => name) : []))
              }
            />
            all
          </label>
        </div>
        <ul>
          {tools.map((each) => (
            <Row
              key={each.name}
              tool={each}
              isOpen={each === tool}
              isPicked={picked.has(each.name)}
              onOpen={() => setOpened(each.name)}
              onToggle={() => toggle(each.name)}
            />
          ))}
        </ul>
      </section>
      <ReviewBar
        ref={bar}
        key={chosen.length > 0 ? 'several' : tool.name}
        tool={tool}
        place={`${index + 1} of ${tools.length}`}
        chosen={chosen}
        onDecided={(names) => {
          setPicked(new Set([...picked].filter((name) => !names.includes(name))));
          const next = tools.slice(index).find(({ name }) => !names.includes(name));
          if (next && next !== tool) setOpened(next.name);
        }}
        onStep={(step) => go(index + step)}
      />
    </div>
  );
}

interface RowProps {
  tool: JudgedTool;
  isOpen: boolean;
  isPicked: boolean;
  onOpen: () => void;
  onToggle: () => void;
}

function Row({ tool, isOpen, isPicked, onOpen, onToggle }: RowProps) {
  return (
    <li className={isOpen ? 'review-open' : undefined}>
      <input type="checkbox" checked={isPicked} aria-label={`Select ${tool.name}`} onChange={onToggle} />
      <button type="button" className="link mono" aria-current={isOpen ? 'true' : undefined} onClick={onOpen}>
        <Line text={tool.name} max={80} />
      </button>
      <StandingBadge tool={tool} />
    </li>
  );
}
