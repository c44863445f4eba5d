import type { ReactNode } from 'react';
import { Icon } from '#ui/icon.tsx';
import { useOrder } from './use-order.ts';

/** A column of a table. Its title is also the label of its values where rows are cards. */
export interface TableColumn<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
  /** Numbers stand at the end of the line. */
  readonly end?: boolean;
  /** The time that the list is in the order of: its title turns the order. */
  readonly sorts?: boolean;
}

/** The titles of the columns; where rows are cards, for screen readers alone. */
export function HeadRow({ columns }: { readonly columns: readonly TableColumn<never>[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ title, end, sorts }) =>
          sorts ? (
            <SortedTitle key={title} title={title} />
          ) : (
            <th key={title} scope="col" className={end ? 'end' : undefined}>
              {title}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}

function SortedTitle({ title }: { readonly title: string }) {
  const { order, turn } = useOrder();
  const isOldest = order === 'oldest';
  return (
    <th scope="col" aria-sort={isOldest ? 'ascending' : 'descending'}>
      <button type="button" className="sort" title={isOldest ? 'Oldest first' : 'Newest first'} onClick={turn}>
        {title}
        <Icon name={isOldest ? 'up' : 'down'} size={14} />
      </button>
    </th>
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
