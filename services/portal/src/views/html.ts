import { html } from 'hono/html';
import { formatDate, formatPeriod } from './format/dates.ts';

/** A piece of a page. It is a promise only if a promise was put into the template. */
export type Html = ReturnType<typeof html>;

/** Returns a `time` element that shows a day in the reader's locale: in UTC, until the script shows it in their zone. */
export const timeElement = (date: Date, locale: string): Html =>
  html`<time datetime="${date.toISOString()}">${formatDate(date, locale)}</time>`;

/** Returns an element that shows a range of days in the reader's locale. The two may come in either order. */
export function periodElement(start: Date, end: Date, locale: string): Html {
  const [first, last] = start <= end ? [start, end] : [end, start];
  const text = formatPeriod(first, last, locale);
  return html`<span data-from="${first.toISOString()}" data-to="${last.toISOString()}">${text}</span>`;
}
