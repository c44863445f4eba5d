import type { Column } from './list-table.tsx';
import { Cell, HeadRow } from './table-rows.tsx';
import { useCards } from './use-cards.ts';

interface DataTableProps<Item> {
  readonly rows: readonly Item[];
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  /** Where the rows are a part of a list: the place of the first one, and how many the list has. */
  readonly part?: { readonly from: number; readonly total: number };
}

/** A table whose rows are all there. */
export function DataTable<Item>({ rows, columns, rowKey, part }: DataTableProps<Item>) {
  const { ref, layout } = useCards(columns.length);
  return (
    <div className="table-wrap" ref={ref}>
      <table className={`table ${layout}`} aria-rowcount={part && part.total + 1}>
        <HeadRow columns={columns} />
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey(row)} aria-rowindex={part && part.from + index + 2}>
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
