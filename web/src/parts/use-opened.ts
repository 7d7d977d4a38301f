import { useEffect, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Which thing of a page is open. It is in the address, so that a link opens it and Back closes it. */
export function useOpened(parameter: string): [string | undefined, (value: string | undefined) => void] {
  const search = useSearch();
  const [here, navigate] = useLocation();
  // A request may end after the person has left the page. Then it must not lead back to it.
  const shown = useRef<string>(undefined);
  useEffect(() => {
    shown.current = search;
    return () => {
      shown.current = undefined;
    };
  }, [search]);
  function open(value: string | undefined): void {
    if (shown.current === undefined) return;
    const params = new URLSearchParams(shown.current);
    if (value === undefined) params.delete(parameter);
    else params.set(parameter, value);
    navigate(params.size > 0 ? `${here}?${params}` : here);
  }
  return [new URLSearchParams(search).get(parameter) ?? undefined, open];
}
