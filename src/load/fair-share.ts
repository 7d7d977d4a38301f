/** One client may hold at most this many times what is still free: alone it gets four fifths, and a newcomer always finds room. */
const TIMES_FREE = 4;

/** Whether a client that holds `own` places may take one more of `limit` places, of which `taken` are taken by all clients. */
export function hasFairShare(own: number, taken: number, limit: number): boolean {
  return own < TIMES_FREE * (limit - taken);
}
