import type { ReactNode } from 'react';
import { ErrorState } from '#ui/states.tsx';
import { HeadRow, Row, Widths, type Column } from './table-rows.tsx';
import { useColumns } from './use-columns.ts';
import { useListRows, type ListSource } from './use-list-rows.ts';

export type { Column } from './table-rows.tsx';

export interface ListTableProps<Item> extends ListSource<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  readonly empty: ReactNode;
}

/** A list of any length that scrolls with the page: only the rows in the window exist, and are loaded by the page. */
export function ListTable<Item>({ label, columns: all, rowKey, empty, ...source }: ListTableProps<Item>) {
  const { ref: wrapRef, columns, rowHeight, layout } = useColumns(all);
  const { first, known, isOpen, failure, ref, from, to, itemAt } = useListRows(source, rowHeight);

  if (first.error && !first.data) return <ErrorState error={first.error} onRetry={() => void first.refetch()} />;
  if (first.data?.items.length === 0) return empty;
  return (
    <>
      {/* A region that scrolls sideways must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="table-wrap" ref={wrapRef} tabIndex={0} role="region" aria-label={label}>
        <table className={`table ${layout} list`} aria-rowcount={isOpen ? -1 : known + 1} aria-busy={!first.data}>
          <Widths columns={columns} />
          <HeadRow columns={columns} />
          <tbody ref={ref}>
            <Padding height={from * rowHeight} columns={columns.length} />
            {Array.from({ length: first.data ? Math.max(0, to - from) : 8 }, (_, place) => {
              const item = itemAt(from + place);
              if (item === undefined) return <Row key={place} columns={columns} item={item} />;
              return <Row key={rowKey(item)} columns={columns} item={item} index={from + place} />;
            })}
            <Padding height={Math.max(0, known - to) * rowHeight} columns={columns.length} />
          </tbody>
        </table>
      </div>
      {failure && (
        <div className="list-failure">
          <ErrorState error={failure.error} onRetry={failure.retry} />
        </div>
      )}
    </>
  );
}

/** Stands for rows outside of the window. */
function Padding({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height === 0) return null;
  return (
    <tr className="pad" aria-hidden="true">
      {/* It is hidden, so it needs no label. */}
      {/* eslint-disable-next-line jsx-a11y/control-has-associated-label */}
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}
