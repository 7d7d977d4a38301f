/** Line icons of our own, drawn on a grid of 24. Decorative: the words beside them say it. */
const PATHS = {
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  list: 'M4 6h16M4 12h16M4 18h10',
  hand: 'M8 12V5a1.5 1.5 0 0 1 3 0v6-7a1.5 1.5 0 0 1 3 0v7-5a1.5 1.5 0 0 1 3 0v9a6 6 0 0 1-6 6c-3 0-4.5-2-7-7 1-1 2.500 0 4 2',
  wrench:
    'M20 6a4.500 4.500 0 0 1-6 5.500L7 19a2 2 0 0 1-3-3l7.500-7A4.500 4.500 0 0 1 17 3l-2.500 3L17 8.500z',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM7 8h.01M7 16h.01',
  chat: 'M4 5h16v11H9l-5 4z',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100',
  eye: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  pen: 'M4 20l1-4L16 5l3 3L8 19z',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  close: 'M6 6l12 12M18 6 6 18',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  warning: 'M12 4 2 20h20zM12 10v5M12 17.500h.01',
  plus: 'M12 5v14M5 12h14',
  phone: 'M8 3h8v18H8zM11 18h2',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  check: 'M5 12.500l4.500 4.500L19 7',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
