import { useLocation, useSearch } from 'wouter';

/** Which thing of a page is open. It is in the address, so that a link opens it and Back closes it. */
export function useOpened(parameter: string): [string | undefined, (value: string | undefined) => void] {
  const search = useSearch();
  const [here, navigate] = useLocation();
  function open(value: string | undefined): void {
    const params = new URLSearchParams(search);
    if (value === undefined) params.delete(parameter);
    else params.set(parameter, value);
    navigate(params.size > 0 ? `${here}?${params}` : here);
  }
  return [new URLSearchParams(search).get(parameter) ?? undefined, open];
}
