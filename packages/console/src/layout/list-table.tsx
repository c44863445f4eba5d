import type { List } from '@billing/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CsvValue } from '#ui/csv.ts';
import { ErrorState, Skeleton } from '#ui/states.tsx';
import { useVisibleRows } from '#ui/use-visible-rows.ts';
import { useRowHeight } from './row-height.ts';
import { Cell, HeadRow, type TableColumn } from './table-rows.tsx';

export interface Column<Item> extends TableColumn<Item> {
  /** The value in an export. */
  readonly csv?: (item: Item) => CsvValue;
  /** Has no effect: every column is shown on a phone. */
  readonly wide?: boolean;
}

export interface ListTableProps<Item> {
  readonly label: string;
  readonly queryKey: readonly unknown[];
  readonly list: (page: { readonly limit: number; readonly offset: number }, signal: AbortSignal) => List<Item>;
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  readonly empty: ReactNode;
  /** How often the rows are loaded again, in milliseconds. */
  readonly refreshMs?: number;
}

const PAGE_SIZE = 100;
/** As far as an offset reaches. */
const MAX_ROWS = 100_000;

/** A list of any length that scrolls with the page: only the rows in the window exist, and are loaded by the page. */
export function ListTable<Item>(props: ListTableProps<Item>) {
  const { label, queryKey, list, columns, rowKey, empty, refreshMs = 30_000 } = props;
  const pageQuery = (page: number) => ({
    queryKey: [...queryKey, 'page', page],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      list({ limit: PAGE_SIZE, offset: page * PAGE_SIZE }, signal).page(),
    refetchInterval: refreshMs,
  });
  const first = useQuery({ ...pageQuery(0), placeholderData: keepPreviousData });
  const total = Math.min(first.data?.total ?? 0, MAX_ROWS);
  const isCut = first.data !== undefined && (!first.data.totalIsExact || first.data.total > MAX_ROWS);
  const rowHeight = useRowHeight(columns.length);
  const { ref, from, to } = useVisibleRows(total, rowHeight);
  const firstPage = Math.floor(from / PAGE_SIZE);
  const pageCount = Math.max(1, Math.ceil(to / PAGE_SIZE) - firstPage);
  const pages = useQueries({ queries: Array.from({ length: pageCount }, (_, index) => pageQuery(firstPage + index)) });

  if (first.error && !first.data) return <ErrorState error={first.error} onRetry={() => void first.refetch()} />;
  if (first.data?.items.length === 0) return empty;
  const itemAt = (index: number): Item | undefined => {
    const page = Math.floor(index / PAGE_SIZE);
    const loaded = pages[page - firstPage]?.data ?? (page === 0 ? first.data : undefined);
    return loaded?.items[index % PAGE_SIZE];
  };
  const shown = first.data
    ? Array.from({ length: Math.max(0, Math.min(to, total) - from) }, (_, index) => from + index)
    : [];
  return (
    // A region that scrolls sideways must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-wrap" tabIndex={0} role="region" aria-label={label}>
      <table className="table cards list" aria-rowcount={total + 1} aria-busy={!first.data}>
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
          <Padding height={Math.max(0, total - to) * rowHeight} columns={columns.length} />
        </tbody>
      </table>
      {isCut && <p className="muted">The newest {total.toLocaleString()} are shown. Filter the list to find others.</p>}
    </div>
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
