import { ListTable, type ListTableProps } from './list-table.tsx';
import { Card } from './page.tsx';

type RecordsProps<Item> = Omit<ListTableProps<Item>, 'label' | 'rowKey'> & { readonly title: string };

/** The records of one kind that belong to the record of a page. */
export const Records = <Item extends { readonly id: string }>({ title, ...table }: RecordsProps<Item>) => (
  <Card title={title} flush>
    <ListTable label={title} rowKey={({ id }) => id} refreshMs={5_000} {...table} />
  </Card>
);
