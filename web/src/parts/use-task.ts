import { useState } from 'react';

/** Something that a button starts: whether it runs, and what went wrong the last time. */
export function useTask(): {
  busy: boolean;
  error: unknown;
  run: (work: () => Promise<unknown>) => void;
  clear: () => void;
} {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: undefined });
  return {
    ...state,
    run(work) {
      setState({ busy: true, error: undefined });
      // Also what `work` throws before its first await ends the task.
      new Promise((resolve) => resolve(work())).then(
        () => setState({ busy: false, error: undefined }),
        (error: unknown) => setState({ busy: false, error }),
      );
    },
    clear: () => setState({ busy: false, error: undefined }),
  };
}
