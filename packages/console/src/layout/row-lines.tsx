import { useId, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Details } from '#ui/details.tsx';
import type { Column } from './table-rows.tsx';

/** As many values as the second line has room for on a phone. */
const SECOND = 3;
const TIMES: readonly unknown[] = ['date', 'ago', 'time'];

const isActions = ({ title }: Column<never>) => title === 'Actions';
const isStatus = ({ title, width }: Column<never>) => title === 'Status' || width === 'status';
const isTime = ({ width }: Column<never>) => TIMES.includes(width);
const isText = ({ width, end }: Column<never>) => width === undefined && !end;

/**
 * Returns the columns of rows of two lines. The first has what a row is found by, and its amount; the second its status, other
 * values, and the time that the list is in the order of. On a phone, what has no room there and the actions stand in a sheet
 * that the row opens.
 */
export function rowLines<Item>(all: readonly Column<Item>[], isPhone: boolean): readonly Column<Item>[] {
  const actions = all.find(isActions);
  const values = all.filter(column => !isActions(column));
  const first = values.find(column => !isStatus(column) && !isTime(column)) ?? values[0];
  if (!first) return all;
  const rest = values.filter(column => column !== first && !column.isSpare);
  const amount = rest.find(({ isAmount, width }) => isAmount ?? width === 'money');
  const status = rest.find(isStatus);
  const time = rest.find(({ sorts }) => sorts) ?? rest.find(isTime);
  const others = rest.filter(column => ![amount, status, time].includes(column));
  const room = SECOND - [status, time].filter(Boolean).length;
  const textsFirst = others.toSorted((one, other) => Number(isText(other)) - Number(isText(one)));
  const shown = isPhone ? textsFirst.slice(0, room) : others;
  const second = [status, ...shown, time].filter(column => column !== undefined);
  const isMore = actions !== undefined || shown.length < others.length;
  const end = isPhone ? isMore && moreColumn(first, all) : actions && { ...actions, place: 'actions' as const };
  return [
    { ...first, place: first.isParent ? 'first parent' : 'first' },
    ...(amount ? [amount] : []),
    ...(second.length > 0 ? [secondLine(second, shown, isPhone)] : []),
    ...(end ? [end] : []),
  ];
}

/** Several columns as one, each value with its label, which is for screen readers alone where the value says what it is. */
function secondLine<Item>(
  columns: readonly Column<Item>[],
  others: readonly Column<Item>[],
  isPhone: boolean,
): Column<Item> {
  const sorted = columns.find(({ sorts }) => sorts);
  // Of a time of day, the day says enough; a row's own page has the rest.
  const isCut = (column: Column<Item>) => others.includes(column) || column.width === 'time';
  return {
    title: sorted?.title ?? columns.map(({ title }) => title).join(', '),
    ...(sorted && { sorts: true }),
    place: 'second',
    cell: item =>
      columns.map(column => (
        <span key={column.title} className={isCut(column) ? 'truncate' : isStatus(column) ? 'status' : undefined}>
          <span
            className={
              others.includes(column) && (isPhone ? column.end : !isText(column)) ? undefined : 'visually-hidden'
            }
          >
            {column.title}:{' '}
          </span>
          <span>{column.cell(item)}</span>
        </span>
      )),
  };
}

const moreColumn = <Item,>(first: Column<Item>, all: readonly Column<Item>[]): Column<Item> => ({
  title: 'More',
  place: 'more',
  cell: item => <RowSheet first={first} others={all.filter(column => column !== first)} item={item} />,
});

interface RowSheetProps<Item> {
  readonly first: Column<Item>;
  readonly others: readonly Column<Item>[];
  readonly item: Item;
}

/**
 * The button of a row that opens a sheet with all of it, and what can be done with it. The sheet closes for a dialog that it
 * opens, and stays in the document, of which the dialog is a part.
 */
function RowSheet<Item>({ first, others, item }: RowSheetProps<Item>) {
  const id = useId();
  const [wasOpened, setOpened] = useState(false);
  const actions = others.find(isActions);
  const values = others.filter(column => column !== actions).map(({ title, cell }) => [title, cell(item)]);
  return (
    <>
      <Button kind="quiet" icon="more" aria-label="More" popoverTarget={id} />
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-labelledby={`${id}-title`}
        tabIndex={-1}
        className="sheet"
        onBeforeToggle={() => setOpened(true)}
        onToggle={({ newState, currentTarget }) => newState === 'open' && currentTarget.focus()}
      >
        {wasOpened && (
          <div className="stack">
            <div className="spread">
              <h2 id={`${id}-title`}>{first.cell(item)}</h2>
              <Button kind="quiet" icon="close" aria-label="Close" popoverTarget={id} popoverTargetAction="hide" />
            </div>
            <Details narrow of={Object.fromEntries(values)} />
            {actions && <div className="sheet-actions">{actions.cell(item)}</div>}
          </div>
        )}
      </div>
    </>
  );
}
