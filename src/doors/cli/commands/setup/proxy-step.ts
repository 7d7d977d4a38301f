import { ProxyError } from '../../../../contract/errors.ts';
import { withProxy, type Context } from '../../context.ts';
import type { StepDone } from './step.ts';

interface ProxyStepDone extends StepDone {
  result: { url: string | null; started: boolean; log?: string };
}

/** The proxy that runs, or one that is started in the background. */
export async function proxyStep(context: Context, listen: string | undefined): Promise<ProxyStepDone> {
  const { runtime, place, io } = context;
  try {
    const { listen: at } = await withProxy(context, 'daemon', ({ request }) => request('status', {}));
    return {
      step: 'Proxy',
      lines: [`runs at ${at}`],
      result: { url: at, started: false },
    };
  } catch (error) {
    const isAbsent = error instanceof ProxyError && error.code === 'NO_DAEMON' && place.url === undefined;
    if (!isAbsent) throw error;
  }
  const stop = new AbortController();
  const release = io.onInterrupt(() => stop.abort());
  try {
    const { url, log } = await runtime.setup.start(
      { ...place, ...(listen !== undefined && { listen }) },
      stop.signal,
    );
    return {
      step: 'Proxy',
      lines: [`started in the background at ${url}`, `its log: ${log}`],
      result: { url, started: true, log },
    };
  } finally {
    release();
  }
}
