import { html } from 'hono/html';
import type { Html } from './html.ts';

/** A text in which code stands between backticks. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** A text of paragraphs, between empty lines. */
export function paragraphs(text: string): Html[] {
  return text.split('\n\n').map(paragraph => html`<p>${inline(paragraph)}</p>`);
}

/** A value as JSON to read. */
export const json = (value: unknown): Html => html`<pre><code>${JSON.stringify(value, null, 2)}</code></pre>`;
