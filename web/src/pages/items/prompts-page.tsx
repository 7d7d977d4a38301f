import { useState } from 'react';
import type { PromptResult, PromptView } from '../../../../src/contract/item.ts';
import type { JsonObject } from '../../../../src/json/index.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { SchemaForm } from '../../parts/form/schema-form.tsx';
import { blockOf } from '../../parts/result/blocks.ts';
import { BlocksView } from '../../parts/result/blocks-view.tsx';
import { Empty, Fetched, Problem } from '../../parts/states.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useOpened } from '../../parts/use-opened.ts';
import { useTask } from '../../parts/use-task.ts';
import { client, useApi } from '../../session/api.ts';
import { ItemStanding } from './item-standing.tsx';
import { ItemList } from './item-list.tsx';
import { KindTabs } from './kind-tabs.tsx';
import { PromptReview } from './prompt-review.tsx';
import './items.css';

/** The prompts of all servers; each can be tried. */
export default function PromptsPage() {
  const [cursors, setCursors] = useState<string[]>([]);
  const list = useApi('listPrompts', { limit: 100, cursor: cursors.at(-1) });
  const [open, setOpen] = useOpened('prompt');
  const opened = list.data?.prompts.find(({ name }) => name === open);
  return (
    <>
      <h1>Prompts</h1>
      <KindTabs />
      <Fetched query={list} what="prompts">
        {({ prompts, total, next_cursor: next }) =>
          prompts.length === 0 ? (
            <Empty title="No prompts">
              <p>No server that is connected offers any.</p>
            </Empty>
          ) : (
            <ItemList
              rows={prompts.map((prompt) => ({ key: prompt.name, name: prompt.name, item: prompt }))}
              page={{ total, next, cursors, onChange: setCursors, what: 'prompt' }}
              onOpen={setOpen}
            />
          )
        }
      </Fetched>
      {opened && <PromptDrawer key={opened.name} prompt={opened} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function PromptDrawer({ prompt, onClose }: { prompt: PromptView; onClose: () => void }) {
  return (
    <Drawer title={<Line text={prompt.name} />} onClose={onClose}>
      <div className="row">
        <ItemStanding item={prompt} />
      </div>
      <Paragraph text={prompt.description ?? 'The server gives no description of this prompt.'} />
      {prompt.standing !== 'accepted' && <PromptReview prompt={prompt} />}
      <GetPrompt prompt={prompt} />
    </Drawer>
  );
}

/** The arguments of a prompt are texts. */
function schemaOf({ arguments: given = [] }: PromptView): JsonObject {
  const described = given.map(({ name, description }) => [name, { type: 'string', description }]);
  return {
    type: 'object',
    properties: Object.fromEntries(described) as JsonObject,
    required: given.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}

function GetPrompt({ prompt }: { prompt: PromptView }) {
  const [args, setArgs] = useState<JsonObject>({});
  const [result, setResult] = useState<PromptResult>();
  const task = useTask();
  return (
    <section className="stack" aria-label="Get the prompt">
      <h3>Get it</h3>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          task.run(async () => {
            const body = { name: prompt.name, arguments: args, reason: 'tried in the web UI' };
            setResult(await client.request('getPrompt', { body }));
          });
        }}
      >
        <SchemaForm schema={schemaOf(prompt)} value={args} onChange={setArgs} />
        <div className="row">
          <button type="submit" className="primary" disabled={task.busy}>
            {task.busy ? 'Getting…' : result ? 'Get it again' : 'Get the prompt'}
          </button>
        </div>
      </form>
      {task.error !== undefined && <Problem error={task.error} />}
      <div role="status" className="stack">
        {result?.messages?.map(({ role, content }, index) => (
          <article key={index} className="card stack">
            <h4>
              <Line text={role} max={40} />
            </h4>
            <BlocksView blocks={(Array.isArray(content) ? content : [content]).map(blockOf)} />
          </article>
        ))}
      </div>
    </section>
  );
}
