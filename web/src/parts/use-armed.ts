import { useEffect, useRef, useState, type RefObject } from 'react';

/** Longer than a person needs to finish a click that was aimed at the previous content. */
const STILL_MS = 1000;
const LOOK_EVERY_MS = 100;

interface Place {
  /** On the page, wherever it is scrolled to. */
  pageTop: number;
  pageLeft: number;
  /** On the screen. */
  top: number;
  pageHeight: number;
}

function placeOf(element: HTMLElement): Place {
  const { top, left } = element.getBoundingClientRect();
  const pageHeight = document.documentElement.scrollHeight;
  return {
    pageTop: Math.round(top + window.scrollY),
    pageLeft: Math.round(left + window.scrollX),
    top: Math.round(top),
    pageHeight,
  };
}

/** Scrolling by hand does not count; a page that became shorter scrolls by itself. */
function hasMoved(before: Place, now: Place): boolean {
  if (before.pageTop !== now.pageTop || before.pageLeft !== now.pageLeft) return true;
  return before.pageHeight !== now.pageHeight && before.top !== now.top;
}

interface Armed {
  /** For styling the buttons. */
  isArmed: boolean;
  /** Whether the element had been at rest for long enough when the event began. Checks the position again at each click. */
  accepts: (event: { timeStamp: number }) => boolean;
}

/**
 * Protects buttons from accidental clicks: they act only after their position has not changed for a second. A new call can make them appear
 * or move at the moment when a person clicks on something else.
 */
export function useArmed(element: RefObject<HTMLElement | null>): Armed {
  const [isArmed, setArmed] = useState(false);
  const rest = useRef<{ place: Place; since: number }>(undefined);

  function hasRestedAt(time: number): boolean {
    if (!element.current) return false;
    const place = placeOf(element.current);
    const moved = rest.current === undefined || hasMoved(rest.current.place, place);
    const since = moved ? performance.now() : rest.current!.since;
    rest.current = { place, since };
    return time - since >= STILL_MS;
  }

  const look = useRef(hasRestedAt);
  useEffect(() => {
    look.current = hasRestedAt;
  });
  useEffect(() => {
    const lookNow = (): void => setArmed(look.current(performance.now()));
    lookNow();
    const timer = setInterval(lookNow, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);

  return {
    isArmed,
    accepts({ timeStamp }) {
      const rested = hasRestedAt(timeStamp);
      if (!rested) setArmed(false);
      return rested;
    },
  };
}
