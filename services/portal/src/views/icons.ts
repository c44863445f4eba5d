import { html } from 'hono/html';
import type { Html } from './html.ts';

/** Hidden from screen readers: the text beside an icon says the same. */
const icon = (path: string): Html =>
  html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="${path}" /></svg>`;

export const ARROW_LEFT = icon('M12 4l-6 6 6 6');
export const CARD = icon('M3 5h14a1 1 0 011 1v8a1 1 0 01-1 1H3a1 1 0 01-1-1V6a1 1 0 011-1zM2 8.5h16M5 12h3');
export const CHECK = icon('M4 10.5l4 4 8-9');
export const CLOCK = icon('M10 2.5a7.5 7.5 0 110 15 7.5 7.5 0 010-15zM10 6v4.2l2.6 1.8');
export const DOWNLOAD = icon('M10 3v9m0 0l-3.5-3.5M10 12l3.5-3.5M4 16h12');
export const LOCK = icon('M5 9h10v8H5zM7 9V6.5a3 3 0 016 0V9');
export const WARNING = icon('M10 3l8 14H2zM10 8.5v3.5M10 14.4v.1');
