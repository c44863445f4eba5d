import { useEffect, useRef, useState } from 'react';

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Rows beyond the window that are rendered too. */
const MARGIN = 15;
/** Shorter lists are rendered as a whole, so that the browser's own search finds every row. */
const WHOLE = 100;

/**
 * Returns which of `total` rows of the same height are in the window, for a list that scrolls with the page. `ref` belongs
 * to the element around the rows.
 */
export function useVisibleRows(total: number, rowHeight: number) {
  const ref = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState<Range>({ from: 0, to: 60 });
  useEffect(() => {
    const measure = () => {
      const top = ref.current?.getBoundingClientRect().top ?? 0;
      const first = Math.floor(-top / rowHeight);
      const from = Math.max(0, first - MARGIN);
      const to = Math.min(total, first + Math.ceil(innerHeight / rowHeight) + MARGIN);
      setRange(known => (known.from === from && known.to === to ? known : { from, to }));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [total, rowHeight]);
  return total <= WHOLE ? { ref, from: 0, to: total } : { ref, ...range };
}
