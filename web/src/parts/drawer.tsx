import { useEffect, useRef, type ReactNode } from 'react';
import { ConnectionBanner } from '../live/connection-banner.tsx';
import { Icon } from './icon.tsx';
import { Toasts } from './toasts.tsx';

/** A panel over the page. The dialog element traps the focus and closes with Escape. */
export function Drawer({
  title,
  onClose,
  children,
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-labelledby="drawer-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div className="drawer-inside">
        <header className="drawer-head">
          <h2 id="drawer-title">{title}</h2>
          <button className="quiet" type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        <ConnectionBanner />
        {children}
        <Toasts />
      </div>
    </dialog>
  );
}
