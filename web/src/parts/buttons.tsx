import { useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button
      className="quiet"
      type="button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      <Icon name="copy" />
      <span aria-live="polite">{done ? 'Copied' : label}</span>
    </button>
  );
}

/** Saves a text as a file. The text is created on click. */
export function DownloadButton({ name, text }: { name: string; text: () => string }) {
  function save(): void {
    const url = URL.createObjectURL(new Blob([text()], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
  return (
    <button type="button" className="quiet" onClick={save}>
      <Icon name="download" />
      Download
    </button>
  );
}
