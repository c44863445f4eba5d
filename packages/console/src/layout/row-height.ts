import { useSyncExternalStore } from 'react';

/** Where the style sheet makes cards of rows. */
const CARDS = '(max-width: 720px)';
/** Heights of the style sheet, in pixels. */
const ROW = 42;
const CARD_LINE = 28;
const CARD_PADDING = 21;

function subscribe(onChange: () => void): () => void {
  const cards = matchMedia(CARDS);
  cards.addEventListener('change', onChange);
  return () => cards.removeEventListener('change', onChange);
}

/** Returns the height of a list's rows, in pixels: one line, or a card with a line for each column on a narrow screen. */
export function useRowHeight(columns: number): number {
  const areCards = useSyncExternalStore(subscribe, () => matchMedia(CARDS).matches);
  return areCards ? CARD_PADDING + columns * CARD_LINE : ROW;
}
