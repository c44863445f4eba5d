import { useCallback, useState } from 'react';
import { rowLines } from './row-lines.tsx';
import { leastWidth, sayWhatIsCut, type Column } from './table-rows.tsx';

/** What is narrower, in pixels, is a phone, whose rows have two lines, however few their columns are. */
const PHONE = 560;
/** Heights of the style sheet, in pixels. */
const ROW = 42;
const TWO_LINES = 65;

/** Returns the widths that a table takes at least: with all its columns, and without one more spare column each time. */
function leastWidths(columns: readonly Column<never>[]): readonly number[] {
  const spare = columns.findIndex(({ isSpare }) => isSpare);
  return [leastWidth(columns), ...(spare < 0 ? [] : leastWidths(columns.toSpliced(spare, 1)))];
}

/**
 * Returns the columns for which a table has room, or those of rows of two lines for want of it; `ref` belongs to the element
 * around the table. `rowHeight` is the height of a row of a list, in pixels.
 */
export function useColumns<Item>(all: readonly Column<Item>[]) {
  /** How many spare columns are left out, or rows have two lines. */
  const [left, setLeft] = useState<number | 'lines' | 'phone'>(0);
  const widths = leastWidths(all).join(' ');
  const ref = useCallback(
    (box: HTMLElement | null) => {
      if (!box) return undefined;
      const measure = () => {
        const width = box.clientWidth;
        const fitting = widths.split(' ').findIndex(least => Number(least) <= width);
        setLeft(width < PHONE ? 'phone' : fitting < 0 ? 'lines' : fitting);
      };
      // Before anything is painted.
      measure();
      const observer = new ResizeObserver(measure);
      observer.observe(box);
      box.addEventListener('mouseover', sayWhatIsCut);
      return () => {
        observer.disconnect();
        box.removeEventListener('mouseover', sayWhatIsCut);
      };
    },
    [widths],
  );
  if (typeof left === 'string')
    return { ref, columns: rowLines(all, left === 'phone'), rowHeight: TWO_LINES, layout: 'lines' } as const;
  const spares = all.filter(({ isSpare }) => isSpare).slice(0, left);
  return { ref, columns: all.filter(column => !spares.includes(column)), rowHeight: ROW, layout: 'rows' } as const;
}
