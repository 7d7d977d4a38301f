import { useEffect, useRef, useState, type RefObject } from 'react';

/** Longer than a person takes to click at what was there before. */
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
  /** For the look of the buttons. */
  isArmed: boolean;
  /** Whether the element was already at rest when the event began. To be asked at each click: it looks again. */
  accepts: (event: { timeStamp: number }) => boolean;
}

/**
 * Buttons that must not be pressed by mistake act only after their place has been the same for a second. Somebody else can make them appear
 * or move just when a person clicks at something else.
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
