import { useState } from 'react';

/** State of an action that a button starts: whether it is running, and its last error. */
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
      // Inside a promise, so that an error thrown before the first await is caught too.
      new Promise((resolve) => resolve(work())).then(
        () => setState({ busy: false, error: undefined }),
        (error: unknown) => setState({ busy: false, error }),
      );
    },
    clear: () => setState({ busy: false, error: undefined }),
  };
}
