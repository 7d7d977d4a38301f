import { useId, useState, type ReactNode } from 'react';
import { Icon, type IconName } from '../../parts/icon.tsx';

export type Tone = 'bad' | 'wait' | 'warn' | 'plain';

interface Props {
  tone: Tone;
  icon: IconName;
  title: ReactNode;
  /** A line below it. */
  detail?: ReactNode;
  /** Buttons and links, at the end of the row. */
  actions?: ReactNode;
  /** What "Review" opens below the row. */
  more?: { label: string; view: () => ReactNode };
}

/** Something that needs a person, with what can be done about it. */
export function QueueRow({ tone, icon, title, detail, actions, more }: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <li className={`queue-row queue-${tone}`}>
      <span className="queue-icon">
        <Icon name={icon} />
      </span>
      <div className="queue-text">
        <p className="queue-title row">{title}</p>
        {detail !== undefined && <p className="queue-detail">{detail}</p>}
      </div>
      <div className="row queue-actions">
        {actions}
        {more && (
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Close' : more.label}
          </button>
        )}
      </div>
      {more && (
        <div id={id} className="queue-more stack" hidden={!isOpen}>
          {isOpen && more.view()}
        </div>
      )}
    </li>
  );
}
