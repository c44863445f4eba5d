import type { ReactNode } from 'react';
import { formatCount } from '#ui/amount.ts';
import { ExportButton } from './export-button.tsx';
import { ListTable, type Column, type ListTableProps } from './list-table.tsx';
import { Card, Page } from './page.tsx';
import { useFirstPage, type ListSource } from './use-list-rows.ts';

interface ListPageProps<Item> extends Omit<ListTableProps<Item>, 'label'> {
  readonly title: string;
  readonly lead: string;
  readonly actions?: ReactNode;
  /** The file that the list is saved as, and its columns where they are not those of the table. */
  readonly exported: { readonly name: string; readonly columns?: readonly Column<Item>[] };
  readonly filters: ReactNode;
  /** What one item is called, and more of them. */
  readonly nouns: readonly [one: string, many: string];
  /** Stands above the filters. */
  readonly children?: ReactNode;
}

/** A page with one list, its filters, and a button that saves it as it is filtered. */
export function ListPage<Item>({
  title,
  lead,
  actions,
  exported,
  filters,
  nouns,
  children,
  ...table
}: ListPageProps<Item>) {
  const exportButton = (
    <ExportButton name={exported.name} columns={exported.columns ?? table.columns} list={table.list} />
  );
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        <>
          {exportButton}
          {actions}
        </>
      }
    >
      {children}
      <div className="filters">
        {filters}
        <Total nouns={nouns} source={table} />
      </div>
      <Card flush>
        <ListTable label={title} {...table} />
      </Card>
    </Page>
  );
}

interface TotalProps<Item> {
  readonly nouns: readonly [one: string, many: string];
  readonly source: ListSource<Item>;
}

/** How many items the list has as it is filtered: "2,431 customers", or "10,000+ events" of one that is not counted to the end. */
function Total<Item>({ nouns: [one, many], source }: TotalProps<Item>) {
  const { data } = useFirstPage(source);
  const count = data && `${formatCount(data.total)}${data.totalIsExact ? '' : '+'}`;
  return (
    <span className="muted num list-total" role="status">
      {count && `${count} ${data.total === 1 && data.totalIsExact ? one : many}`}
    </span>
  );
}

/** The columns with the one that the list is in the order of. */
export const sortedBy = <Item,>(title: string, columns: readonly Column<Item>[]): readonly Column<Item>[] =>
  columns.map(column => (column.title === title ? { ...column, sorts: true } : column));

/** A column that only an export has. */
export const exportedColumn = <Item,>(title: string, csv: NonNullable<Column<Item>['csv']>): Column<Item> => ({
  title,
  cell: () => null,
  csv,
});
