import type { PromptView, ResourceView } from '../../../../src/contract/item.ts';
import { Pages, type PagesProps } from '../../parts/pages.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { ItemStanding } from './item-standing.tsx';

interface Row {
  key: string;
  name: string;
  /** What tells it from others with the same name. */
  detail?: string;
  item: PromptView | ResourceView;
}

/** Prompts or resources as a table. */
export function ItemList({
  rows,
  page,
  onOpen,
}: {
  rows: readonly Row[];
  page: PagesProps;
  onOpen: (key: string) => void;
}) {
  return (
    <>
      <div className="table-scroll">
        <table className="stacked">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Server</th>
              <th scope="col">Status</th>
              <th scope="col">Description</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, detail, item }) => (
              <tr key={key}>
                <td className="tool-name">
                  <button type="button" className="link mono" onClick={() => onOpen(key)}>
                    <Line text={name} max={120} />
                  </button>
                  {detail !== undefined && (
                    <div className="muted mono">
                      <Line text={detail} max={160} />
                    </div>
                  )}
                </td>
                <td>{item.server}</td>
                <td>
                  <ItemStanding item={item} />
                </td>
                <td className="muted">
                  <Line text={item.description ?? item.title ?? ''} max={140} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pages {...page} />
    </>
  );
}
