import type { ComponentProps, ReactNode } from 'react';
import { DataTable } from '#layout/data-table.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { ProjectLink, type ProjectPage } from '#layout/project-link.tsx';
import { formatMoney } from '#ui/money.ts';

/** A column that links each item to its page. */
export const linkColumn = <Item,>(
  title: string,
  pageOf: (item: Item) => ProjectPage,
  shown: (item: Item) => ReactNode,
): Column<Item> => ({
  title,
  cell: item => (
    <ProjectLink page={pageOf(item)} className="primary-cell">
      <bdi>{shown(item)}</bdi>
    </ProjectLink>
  ),
});

/** A column that opens the details of each item. */
export const openColumn = <Item,>(
  title: string,
  shown: (item: Item) => ReactNode,
  open: (item: Item) => void,
): Column<Item> => ({
  title,
  cell: item => (
    <button type="button" className="copyable primary-cell" onClick={() => open(item)}>
      {shown(item)}
    </button>
  ),
});

/** A column with an amount in the currency of each item. */
export const moneyColumn = <Item extends { readonly currency: string }>(
  title: string,
  amountOf: (item: Item) => number,
): Column<Item> => ({
  title,
  width: 'money',
  end: true,
  cell: item => <span className="num">{formatMoney(amountOf(item), item.currency)}</span>,
});

interface QueryTableProps<Item> extends Omit<ComponentProps<typeof DataTable<Item>>, 'rows'> {
  /** What the table needs: until all of it is there, it says so, or why it is not. */
  readonly queries: readonly ComponentProps<typeof Loading>['query'][];
  readonly rows: readonly Item[] | undefined;
  /** How many gray lines stand for it. */
  readonly lines?: number;
  /** Shown when there is no row. */
  readonly empty: ReactNode;
}

/** A table of what queries have loaded. */
export function QueryTable<Item>({ queries, rows = [], lines, empty, ...table }: QueryTableProps<Item>) {
  const waiting = queries.find(({ data }) => data === undefined);
  if (waiting) return <Loading query={waiting} flush {...(lines !== undefined && { lines })} />;
  return rows.length === 0 ? empty : <DataTable rows={rows} {...table} />;
}
