/**
 * The path below which a reverse proxy serves the page, without a slash at its end. The built files are in `assets/`, beside the page; while
 * the page is developed there is no such path.
 */
const file = import.meta.url;
export const BASE: string = import.meta.env.DEV ? '' : new URL('..', file).pathname.replace(/\/$/, '');
