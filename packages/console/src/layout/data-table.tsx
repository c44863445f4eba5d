import { HeadRow, Row, Widths, type Column } from './table-rows.tsx';
import { useColumns } from './use-columns.ts';

interface DataTableProps<Item> {
  readonly rows: readonly Item[];
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  /** Where the rows are a part of a list: the place of the first one, and how many the list has. */
  readonly part?: { readonly from: number; readonly total: number };
}

/** A table whose rows are all there. */
export function DataTable<Item>({ rows, columns: all, rowKey, part }: DataTableProps<Item>) {
  const { ref, columns, layout } = useColumns(all);
  return (
    <div className="table-wrap" ref={ref}>
      <table className={`table ${layout}`} aria-rowcount={part && part.total + 1}>
        <Widths columns={columns} />
        <HeadRow columns={columns} />
        <tbody>
          {rows.map((row, at) => (
            <Row key={rowKey(row)} columns={columns} item={row} index={part && part.from + at} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
