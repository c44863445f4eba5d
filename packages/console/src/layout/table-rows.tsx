import type { ReactNode } from 'react';
import { Icon } from '#ui/icon.tsx';
import { Skeleton } from '#ui/states.tsx';
import type { CsvColumn } from './csv-lines.ts';
import { useOrder } from './use-order.ts';

/** What values of a known length take, in pixels. */
const WIDTHS = { status: 128, date: 124, ago: 140, time: 188, money: 116, count: 100 };
/** What a text takes at least, in pixels. */
const TEXT = 104;

/** A column of a table. Its title is also the label of its values where rows have two lines. */
export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
  /** Columns without one have names: they share what the others leave, and give way. */
  readonly width?: keyof typeof WIDTHS | number;
  /** What a column without a width takes at least, in pixels, such as that of a name by which people find a row. */
  readonly least?: number;
  /** Left out where the others fill the table, the first such column first. */
  readonly isSpare?: boolean;
  /** Numbers stand at the end of the line. */
  readonly end?: boolean;
  /** Whether it stands for the amount of a row, at the end of the first of two lines; by default what has the width of money. */
  readonly isAmount?: boolean;
  /** Whether it links to what a row belongs to, and not to the row's own page. */
  readonly isParent?: boolean;
  /** Where it stands in a row of two lines. */
  readonly place?: 'first' | 'first parent' | 'second' | 'more' | 'actions';
  /** The time that the list is in the order of: its title turns the order. */
  readonly sorts?: boolean;
  /** The value in an export. */
  readonly csv?: CsvColumn<Item>['csv'];
}

const widthOf = ({ width }: Column<never>): number | undefined => (typeof width === 'string' ? WIDTHS[width] : width);

/** Returns what a table of these columns takes at least, in pixels. */
export const leastWidth = (columns: readonly Column<never>[]): number =>
  columns.reduce((sum, column) => sum + (widthOf(column) ?? column.least ?? TEXT), 0);

/** The widths of the columns, which are there before their values are. */
export const Widths = ({ columns }: { readonly columns: readonly Column<never>[] }) => (
  <colgroup>
    {columns.map(column => (
      <col key={column.title} style={{ width: widthOf(column) }} />
    ))}
  </colgroup>
);

/** Has the value under the pointer say in full what is cut off at its end. */
export function sayWhatIsCut({ target }: Event): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>('.cell') : null;
  if (cell && cell.scrollWidth > cell.clientWidth) cell.title = cell.innerText;
}

/** The titles of the columns; where rows have two lines, for screen readers alone. */
export const HeadRow = ({ columns }: { readonly columns: readonly Column<never>[] }) => (
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

interface RowProps<Item> {
  readonly columns: readonly Column<Item>[];
  /** Undefined while it loads. */
  readonly item: Item | undefined;
  /** Its place in the list, from 0, where that is longer than what is shown. */
  readonly index?: number | undefined;
}

/** The values of one item. */
export const Row = <Item,>({ columns, item, index }: RowProps<Item>) => (
  <tr aria-rowindex={index === undefined ? undefined : index + 2} aria-hidden={item === undefined || undefined}>
    {columns.map(({ title, end, place, cell }) => (
      <td key={title} className={place ?? (end ? 'end' : undefined)}>
        {/* Cut at the end of the line in lists, whose rows have one height; not so a sheet. */}
        <div className={place === 'more' ? undefined : 'cell'}>
          {item !== undefined ? cell(item) : place !== 'more' && <Skeleton width="8rem" />}
        </div>
      </td>
    ))}
  </tr>
);
