import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { Line } from '../parts/untrusted.tsx';
import { useApi } from '../session/api.ts';
import { PAGES } from './pages.ts';

interface Entry {
  title: string;
  kind: string;
  to: string;
}

const MAX_ENTRIES = 12;
const SHORTCUTS: ReadonlyArray<[keys: string, does: string]> = [
  ['Ctrl K', 'go to a page, server or tool, or search the log'],
  ['/', 'go to the first search field of the page'],
  ['?', 'show these shortcuts'],
  ['j k', 'next and previous record, also in an open one'],
  ['a d r →', 'when reviewing tools: accept, accept as destructive, reject, next; x selects'],
  ['Ctrl Enter', 'run the tool of the form'],
  ['Enter', 'open what has the focus'],
  ['Esc', 'close'],
];

type Shown = 'palette' | 'help' | undefined;

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'));

/** Ctrl-K opens the palette, "?" the list of shortcuts, "/" goes to the search field of the page. */
export function Keyboard() {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        setShown('palette');
      } else if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      else if (event.key === '?') setShown('help');
      else if (event.key === '/' && focusSearch()) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = () => setShown(undefined);
  if (shown === 'palette') return <Palette onClose={close} />;
  return shown === 'help' ? <Help onClose={close} /> : null;
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('main [role="search"] input, main input[type="search"]');
  field?.focus();
  return field !== null;
}

function useDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  return dialog;
}

function Help({ onClose }: { onClose: () => void }) {
  const dialog = useDialog();
  return (
    <dialog ref={dialog} className="palette" aria-label="Shortcuts" onClose={onClose}>
      <h2>Shortcuts</h2>
      <dl className="facts">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={keys} className="facts-row">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useDialog();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const entries = useEntries(text);

  function go(entry: Entry | undefined): void {
    if (!entry) return;
    dialog.current?.close();
    navigate(entry.to);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && entries.length > 0) setActive((active + step + entries.length) % entries.length);
    else if (event.key === 'Enter') go(entries[active]);
    else return;
    event.preventDefault();
  }

  return (
    <dialog ref={dialog} className="palette" aria-label="Go to" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Page, server, tool or words"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-entries`}
        aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder="Page, server, tool or words of the log"
        value={text}
        maxLength={200}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul role="listbox" id={`${id}-entries`} aria-label="Results">
        {entries.map((entry, index) => (
          <li
            key={entry.to}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => go(entry)}
          >
            <Line text={entry.title} max={100} /> <span className="muted">{entry.kind}</span>
          </li>
        ))}
      </ul>
    </dialog>
  );
}

const SEARCH_MS = 150;

/** The text once the typing pauses. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

function useEntries(text: string): Entry[] {
  const words = text.trim();
  const asked = usePaused(words);
  const servers = useApi('listServers', {});
  const tools = useApi('searchTools', { q: asked, limit: 6 }, { enabled: asked !== '' });
  const matches = (name: string) => name.toLowerCase().includes(words.toLowerCase());
  const pages = PAGES.filter(({ title, path }) => matches(title) && path !== '/session' && path !== '/agent');
  const found: Entry[] = [
    ...pages.map(({ title, path }) => ({ title, kind: 'page', to: path })),
    ...(servers.data?.servers ?? [])
      .filter(({ name }) => words !== '' && matches(name))
      .map(({ name }) => ({
        title: name,
        kind: 'server',
        to: `/servers?server=${encodeURIComponent(name)}`,
      })),
    ...(asked === '' ? [] : (tools.data?.tools ?? [])).map(({ name }) => ({
      title: name,
      kind: 'tool',
      to: `/tools?tool=${encodeURIComponent(name)}`,
    })),
  ];
  const log = { title: words, kind: 'search the log', to: `/activity?${new URLSearchParams({ q: words })}` };
  return [...found.slice(0, MAX_ENTRIES), ...(words === '' ? [] : [log])];
}
