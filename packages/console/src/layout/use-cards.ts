import { useCallback, useState } from 'react';

/** The width of a list in a window of 720 pixels. */
const ALWAYS_CARDS = 690;
/** What a column of a table takes at least, in pixels. */
const COLUMN = 115;
/** Heights of the style sheet, in pixels. */
const ROW = 42;
const CARD_LINE = 28;
const CARD_PADDING = 21;

/**
 * Whether the rows of a table with so many columns are cards, for want of room; `ref` belongs to the element around the
 * table. `rowHeight` is the height of a row of a list, in pixels: one line, or a card with a line for each column.
 */
export function useCards(columns: number) {
  const [areCards, setAreCards] = useState(false);
  const ref = useCallback(
    (box: HTMLElement | null) => {
      if (!box) return undefined;
      const measure = () => setAreCards(box.clientWidth <= Math.max(ALWAYS_CARDS, columns * COLUMN));
      // Before anything is painted.
      measure();
      const observer = new ResizeObserver(measure);
      observer.observe(box);
      return () => observer.disconnect();
    },
    [columns],
  );
  const rowHeight = areCards ? CARD_PADDING + columns * CARD_LINE : ROW;
  return { ref, rowHeight, layout: areCards ? 'cards' : 'rows' } as const;
}
