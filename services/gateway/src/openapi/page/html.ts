import type { html } from 'hono/html';

/** A piece of a page, as the templates make it: a promise only if a promise was put in. */
export type Html = ReturnType<typeof html>;
