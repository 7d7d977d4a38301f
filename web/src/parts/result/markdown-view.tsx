import { Fragment, useMemo, type ReactNode } from 'react';
import { visibleText } from '../../../../src/lib/visible-text.ts';
import { Line } from '../untrusted.tsx';
import { readInline, readMarkdown, type Inline, type MarkdownBlock } from './markdown.ts';

/** Untrusted text in Markdown. No HTML, nothing is loaded, and each link says where it leads. */
export function MarkdownView({ text }: { text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </div>
  );
}

function Block({ block }: { block: MarkdownBlock }): ReactNode {
  switch (block.kind) {
    case 'heading':
      // A heading of the text does not belong to the headings of the page.
      return (
        <p className="markdown-heading" data-level={block.level}>
          <InlineText text={block.text} />
        </p>
      );
    case 'paragraph':
      return (
        <p>
          <InlineText text={block.text} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <InlineText text={block.text} />
        </blockquote>
      );
    case 'code':
      return (
        <pre tabIndex={0} aria-label="Code">
          {visibleText(block.text)}
        </pre>
      );
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul';
      return (
        <List>
          {block.items.map((item, index) => (
            <li key={index}>
              <InlineText text={item} />
            </li>
          ))}
        </List>
      );
    }
    case 'table':
      return <Table head={block.head} rows={block.rows} />;
    case 'line':
      return <hr />;
    default:
      return block satisfies never;
  }
}

function Table({ head, rows }: { head: string[]; rows: string[][] }) {
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <InlineText text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <InlineText text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function InlineText({ text }: { text: string }) {
  return (
    <bdi>
      {readInline(text).map((part, index) => (
        <Fragment key={index}>{inlinePart(part)}</Fragment>
      ))}
    </bdi>
  );
}

function inlinePart(part: Inline): ReactNode {
  const shown = visibleText(part.text);
  switch (part.kind) {
    case 'code':
      return <code>{shown}</code>;
    case 'strong':
      return <strong>{shown}</strong>;
    case 'emphasis':
      return <em>{shown}</em>;
    case 'link':
      return <UntrustedLink to={part.to} text={shown} />;
    case 'text':
      return shown;
    default:
      return part satisfies never;
  }
}

/** A link of untrusted text: the address stands beside it, and only web pages can be opened. */
export function UntrustedLink({ to, text }: { to: string; text: string }) {
  const isPage = /^https?:\/\/[^\s/@]+(?:\/\S*)?$/i.test(to);
  const address = <Line text={to} max={200} />;
  return (
    <>
      {text !== to && <>{text} </>}
      {isPage ? (
        <a href={to} target="_blank" rel="noopener noreferrer nofollow">
          {text === to ? address : <>({address})</>}
        </a>
      ) : (
        <span className="muted">({address})</span>
      )}
    </>
  );
}
