import { useState } from 'react';
import type { ResourceResult, ResourceView } from '../../../../src/contract/item.ts';
import { CopyButton } from '../../parts/buttons.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { blocksOfContents } from '../../parts/result/blocks.ts';
import { BlocksView } from '../../parts/result/blocks-view.tsx';
import { Empty, Fetched, Problem } from '../../parts/states.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useOpened } from '../../parts/use-opened.ts';
import { useTask } from '../../parts/use-task.ts';
import { client, useApi } from '../../session/api.ts';
import { ItemStanding } from './item-standing.tsx';
import { ItemList } from './item-list.tsx';
import { KindTabs } from './kind-tabs.tsx';
import { expandTemplate, namesIn } from './uri-template.ts';
import './items.css';

const KINDS = { resources: 'Resources', templates: 'Templates' } as const;

/** The resources of all servers, and the templates of addresses; each can be read. */
export default function ResourcesPage() {
  const [kind, setKind] = useOpened('kind');
  const [cursors, setCursors] = useState<string[]>([]);
  const chosen = kind === 'templates' ? 'templates' : 'resources';
  const list = useApi('listResources', {
    limit: 100,
    cursor: cursors.at(-1),
    templates: chosen === 'templates' ? 'true' : undefined,
  });
  const [open, setOpen] = useOpened('resource');
  const opened = list.data?.resources.find(({ uri }) => uri === open);
  return (
    <>
      <h1>Resources</h1>
      <KindTabs />
      <Choice
        label="Kind"
        options={KINDS}
        value={chosen}
        onChange={(next) => {
          setCursors([]);
          setKind(next === 'templates' ? next : undefined);
        }}
      />
      {/* The answer for the other kind says nothing about this one. */}
      <Fetched query={list.isPlaceholderData ? { ...list, data: undefined } : list} what={chosen}>
        {({ resources, total, next_cursor: next }) =>
          resources.length === 0 ? (
            <Empty title={`No ${chosen}`}>
              <p>No server that is connected offers any.</p>
            </Empty>
          ) : (
            <ItemList
              rows={resources.map((item) => ({
                key: item.uri,
                name: item.name,
                detail: item.server_uri,
                item,
              }))}
              page={{ total, next, cursors, onChange: setCursors, what: chosen.slice(0, -1) }}
              onOpen={setOpen}
            />
          )
        }
      </Fetched>
      {opened && (
        <ResourceDrawer
          key={opened.uri}
          resource={opened}
          isTemplate={chosen === 'templates'}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

interface ResourceDrawerProps {
  resource: ResourceView;
  isTemplate: boolean;
  onClose: () => void;
}

function ResourceDrawer({ resource, isTemplate, onClose }: ResourceDrawerProps) {
  return (
    <Drawer title={<Line text={resource.name} />} onClose={onClose}>
      <div className="row">
        <ItemStanding item={resource} />
        {resource.mime_type !== undefined && (
          <code>
            <Line text={resource.mime_type} max={80} />
          </code>
        )}
      </div>
      {resource.description !== undefined && <Paragraph text={resource.description} />}
      <dl className="facts">
        <dt>At its server</dt>
        <dd className="mono">
          <Line text={resource.server_uri} />
        </dd>
        <dt>Through the proxy</dt>
        <dd className="mono">
          <Line text={resource.uri} /> <CopyButton text={resource.uri} />
        </dd>
      </dl>
      <ReadResource resource={resource} isTemplate={isTemplate} />
    </Drawer>
  );
}

function ReadResource({ resource, isTemplate }: Omit<ResourceDrawerProps, 'onClose'>) {
  const names = isTemplate ? namesIn(resource.uri) : [];
  const [values, setValues] = useState<Record<string, string>>({});
  const [result, setResult] = useState<ResourceResult>();
  const task = useTask();
  const uri = isTemplate ? expandTemplate(resource.uri, values) : resource.uri;
  return (
    <section className="stack" aria-label="Read the resource">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          task.run(async () => {
            const body = { uri, reason: 'read in the web UI' };
            setResult(await client.request('readResource', { body }));
          });
        }}
      >
        {names.map((name) => (
          <label key={name} className="field">
            <span>
              <Line text={name} max={80} />
            </span>
            <input
              required
              value={values[name] ?? ''}
              onChange={({ target }) => setValues({ ...values, [name]: target.value })}
            />
          </label>
        ))}
        {isTemplate && (
          <p className="mono muted">
            <Line text={uri} />
          </p>
        )}
        <div className="row">
          <button type="submit" className="primary" disabled={task.busy}>
            {task.busy ? 'Reading…' : result ? 'Read it again' : 'Read it'}
          </button>
        </div>
      </form>
      {task.error !== undefined && <Problem error={task.error} />}
      <div role="status" className="stack">
        {result && <BlocksView blocks={blocksOfContents(result)} />}
      </div>
    </section>
  );
}
