import type { ReactNode } from 'react';
import { ErrorState, Skeleton } from '#ui/states.tsx';
import type { CsvColumn } from './csv-lines.ts';
import { Cell, HeadRow, type TableColumn } from './table-rows.tsx';
import { useCards } from './use-cards.ts';
import { useListRows, type ListSource } from './use-list-rows.ts';

export interface Column<Item> extends TableColumn<Item> {
  /** The value in an export. */
  readonly csv?: CsvColumn<Item>['csv'];
}

export interface ListTableProps<Item> extends ListSource<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  readonly empty: ReactNode;
}

/** A list of any length that scrolls with the page: only the rows in the window exist, and are loaded by the page. */
export function ListTable<Item>({ label, columns, rowKey, empty, ...source }: ListTableProps<Item>) {
  const { ref: cardsRef, rowHeight, layout } = useCards(columns.length);
  const { first, known, isOpen, failure, ref, from, to, itemAt } = useListRows(source, rowHeight);

  if (first.error && !first.data) return <ErrorState error={first.error} onRetry={() => void first.refetch()} />;
  if (first.data?.items.length === 0) return empty;
  const shown = first.data ? Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index) : [];
  return (
    <>
      {/* A region that scrolls sideways must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="table-wrap" ref={cardsRef} tabIndex={0} role="region" aria-label={label}>
        <table className={`table ${layout} list`} aria-rowcount={isOpen ? -1 : known + 1} aria-busy={!first.data}>
          <HeadRow columns={columns} />
          <tbody ref={ref}>
            <Padding height={from * rowHeight} columns={columns.length} />
            {!first.data && Array.from({ length: 8 }, (_, index) => <EmptyRow key={index} columns={columns} />)}
            {shown.map(index => {
              const item = itemAt(index);
              if (item === undefined) return <EmptyRow key={index} columns={columns} />;
              return (
                <tr key={rowKey(item)} aria-rowindex={index + 2}>
                  {columns.map(column => (
                    <Cell key={column.title} column={column}>
                      {column.cell(item)}
                    </Cell>
                  ))}
                </tr>
              );
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

function EmptyRow({ columns }: { readonly columns: readonly Column<never>[] }) {
  return (
    <tr aria-hidden="true">
      {columns.map(column => (
        <Cell key={column.title} column={column}>
          <Skeleton width="8rem" />
        </Cell>
      ))}
    </tr>
  );
}
