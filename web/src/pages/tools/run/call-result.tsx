import { useState } from 'react';
import type { CallResult } from '../../../../../src/contract/call.ts';
import { exactJson, type JsonObject } from '../../../../../src/json/index.ts';
import { proxiedUri, readProxiedUri } from '../../../../../src/lib/resource-uri.ts';
import { Choice } from '../../../parts/choice.tsx';
import { CodeView } from '../../../parts/code-view.tsx';
import { BlocksView } from '../../../parts/result/blocks-view.tsx';
import { blocksOfContents, blocksOfResult, type Block } from '../../../parts/result/blocks.ts';
import { Problem } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { Line } from '../../../parts/untrusted.tsx';
import { useTask } from '../../../parts/use-task.ts';
import { client } from '../../../session/api.ts';

/** A call that was answered. */
export interface Finished {
  args: JsonObject;
  result: CallResult;
  durationMs: number;
  /** Milliseconds. */
  at: number;
}

/** A link means a resource of the server that gave it, also where others have the same URI. */
const uriOf = (server: string, uri: string) =>
  readProxiedUri(uri) === undefined ? proxiedUri(server, uri) : uri;

const FORMS = { content: 'Content', json: 'JSON' } as const;

/** The result of a call, each part as what it is, or the whole as JSON. */
export function CallResultView({
  server,
  call: { args, result, durationMs, at },
}: {
  server: string;
  call: Finished;
}) {
  const [form, setForm] = useState<keyof typeof FORMS>('content');
  const [linked, setLinked] = useState<Block[]>();
  const reading = useTask();
  const read = (uri: string) =>
    reading.run(async () => {
      const body = { uri: uriOf(server, uri), reason: 'linked in a result, opened in the web UI' };
      setLinked(blocksOfContents(await client.request('readResource', { body })));
    });
  const blocks = blocksOfResult(result);
  return (
    <div className="stack card">
      <div className="row row-apart">
        <div className="row">
          <h4>{result.isError ? 'The tool returned an error' : 'Result'}</h4>
          <span className="muted">
            {Math.round(durationMs)} ms, <Time at={new Date(at).toISOString()} />
          </span>
        </div>
        <Choice label="Result as" options={FORMS} value={form} onChange={setForm} />
      </div>
      <p className="muted">
        with <code>{<Line text={exactJson(args) ?? ''} max={200} />}</code>
      </p>
      {form === 'json' ? (
        <CodeView label="Result as JSON" value={result} />
      ) : (
        <BlocksView blocks={blocks} onRead={read} />
      )}
      {form === 'content' && blocks.length === 0 && <p className="muted">The result has no content.</p>}
      {reading.error !== undefined && <Problem error={reading.error} />}
      {linked && <BlocksView blocks={linked} />}
    </div>
  );
}
