import { useState, type ReactNode } from 'react';
import { exactJson } from '../../../../src/json/index.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Choice } from '../choice.tsx';
import { CodeView } from '../code-view.tsx';
import { Line } from '../untrusted.tsx';
import { tableOf, type Block, type Table } from './blocks.ts';
import { looksLikeMarkdown } from './markdown.ts';
import { MarkdownView } from './markdown-view.tsx';

interface Props {
  blocks: readonly Block[];
  /** Reads a resource that a block links to. */
  onRead?: (uri: string) => void;
}

/** Content of servers, each part as what it is. All of it is untrusted. */
export function BlocksView({ blocks, onRead }: Props) {
  return blocks.map((block, index) => <BlockView key={index} block={block} onRead={onRead} />);
}

function BlockView({ block, onRead }: { block: Block; onRead: Props['onRead'] }): ReactNode {
  switch (block.kind) {
    case 'text':
      return <TextView text={block.text} uri={block.uri} type={block.type} />;
    case 'image':
      return <img className="result-image" src={block.source} alt={`Result, ${block.type}`} />;
    case 'audio':
      return (
        <audio className="result-audio" controls src={block.source} aria-label={`Result, ${block.type}`} />
      );
    case 'link':
      return (
        <p className="note">
          Resource <Line text={block.name} max={100} /> <code>{<Line text={block.uri} max={300} />}</code>{' '}
          {block.description !== undefined && <Line text={block.description} max={300} />}{' '}
          {onRead && (
            <button type="button" onClick={() => onRead(block.uri)}>
              Read
            </button>
          )}
        </p>
      );
    case 'data':
      return <DataView value={block.value} />;
    case 'other':
      return <CodeView label="Cannot be shown, as JSON" value={block.value} />;
    default:
      return block satisfies never;
  }
}

const LOOKS = { markdown: 'Formatted', source: 'Text' } as const;

function TextView({ text, uri, type }: { text: string; uri: string | undefined; type: string | undefined }) {
  const isMarkdown = type === 'text/markdown' || (type === undefined && looksLikeMarkdown(text));
  const [look, setLook] = useState<keyof typeof LOOKS>('markdown');
  const label = uri ?? 'Text';
  if (!isMarkdown) return <CodeView label={label} value={text} />;
  return (
    <div className="stack">
      <Choice label="Show as" options={LOOKS} value={look} onChange={setLook} />
      {look === 'markdown' ? <MarkdownView text={text} /> : <CodeView label={label} value={text} />}
    </div>
  );
}

const FORMS = { table: 'Table', json: 'JSON' } as const;

function DataView({ value }: { value: unknown }) {
  const table = tableOf(value);
  const [form, setForm] = useState<keyof typeof FORMS>('table');
  if (!table) return <CodeView label="Data" value={value} />;
  return (
    <div className="stack">
      <Choice label="Show as" options={FORMS} value={form} onChange={setForm} />
      {form === 'table' ? <DataTable table={table} /> : <CodeView label="Data" value={value} />}
    </div>
  );
}

const cellText = (value: unknown) => (typeof value === 'string' ? value : (exactJson(value) ?? ''));

function DataTable({ table: { columns, rows } }: { table: Table }) {
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={counted(rows.length, 'row')}>
      <table className="data-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                <Line text={column} max={60} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>
                  <Line text={cellText(row[column])} max={200} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
