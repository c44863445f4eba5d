import type { ReactNode } from 'react';

/** A column of a table. Its title is also the label of its values where rows are cards. */
export interface TableColumn<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
  /** Numbers stand at the end of the line. */
  readonly end?: boolean;
}

/** The titles of the columns; where rows are cards, for screen readers alone. */
export function HeadRow({ columns }: { readonly columns: readonly TableColumn<never>[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ title, end }) => (
          <th key={title} scope="col" className={end ? 'end' : undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface CellProps {
  readonly column: TableColumn<never>;
  readonly children: ReactNode;
}

/** The value of a column in one row, with its label for cards. */
export const Cell = ({ column: { title, end }, children }: CellProps) => (
  <td data-label={title} className={end ? 'end' : undefined}>
    {/* Cut at the end of the line in lists, whose rows have one height. */}
    <div className="cell">{children}</div>
  </td>
);
