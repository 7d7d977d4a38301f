/** Waits until `attempt` gives a value; undefined at the limit. */
export async function waitFor<T>(
  limitMs: number,
  attempt: () => Promise<T | undefined> | T | undefined,
): Promise<T | undefined> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await attempt();
    if (value !== undefined) return value;
    if (Date.now() > end) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
