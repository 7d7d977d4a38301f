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
