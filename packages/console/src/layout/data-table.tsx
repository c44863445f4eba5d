import type { Column } from './list-table.tsx';
import { Cell, HeadRow } from './table-rows.tsx';

interface DataTableProps<Item> {
  readonly rows: readonly Item[];
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
}

/** A table of rows that are all there. */
export function DataTable<Item>({ rows, columns, rowKey }: DataTableProps<Item>) {
  return (
    <div className="table-wrap">
      <table className="table cards">
        <HeadRow columns={columns} />
        <tbody>
          {rows.map(row => (
            <tr key={rowKey(row)}>
              {columns.map(column => (
                <Cell key={column.title} column={column}>
                  {column.cell(row)}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
