import type { ReactNode } from 'react';
import { ExportButton } from './export-button.tsx';
import { ListTable, type Column, type ListTableProps } from './list-table.tsx';
import { Card, Page } from './page.tsx';

interface ListPageProps<Item> extends Omit<ListTableProps<Item>, 'label'> {
  readonly title: string;
  readonly lead: string;
  readonly actions?: ReactNode;
  /** The file that the list is saved as, and its columns where they are not those of the table. */
  readonly exported: { readonly name: string; readonly columns?: readonly Column<Item>[] };
  readonly filters: ReactNode;
  /** Stands above the filters. */
  readonly children?: ReactNode;
}

/** A page with one list, its filters, and a button that saves it as it is filtered. */
export function ListPage<Item>({ title, lead, actions, exported, filters, children, ...table }: ListPageProps<Item>) {
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
      <div className="filters">{filters}</div>
      <Card flush>
        <ListTable label={title} {...table} />
      </Card>
    </Page>
  );
}

/** A column that only an export has. */
export const exportedColumn = <Item,>(title: string, csv: NonNullable<Column<Item>['csv']>): Column<Item> => ({
  title,
  cell: () => null,
  csv,
});
