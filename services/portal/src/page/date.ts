import { html } from 'hono/html';
import { formatDate, formatPeriod } from '#format/dates.ts';
import type { Html } from './html.ts';

/** A day as the reader's locale writes it, and as machines read it. */
export const day = (date: Date, locale: string): Html =>
  html`<time datetime="${date.toISOString()}">${formatDate(date, locale)}</time>`;

/** Two days and what lies between them, as the reader's locale writes it. */
export const period = (start: Date, end: Date, locale: string): Html => html`${formatPeriod(start, end, locale)}`;
