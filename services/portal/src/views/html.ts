import { html } from 'hono/html';
import { formatDate } from './format/dates.ts';

/** A piece of a page. It is a promise only if a promise was put into the template. */
export type Html = ReturnType<typeof html>;

/** Returns a `time` element that shows a day in the reader's locale. */
export const timeElement = (date: Date, locale: string): Html =>
  html`<time datetime="${date.toISOString()}">${formatDate(date, locale)}</time>`;
