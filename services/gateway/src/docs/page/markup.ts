import { html } from 'hono/html';

/** A piece of HTML; a promise only when it contains one. */
export type Html = ReturnType<typeof html>;

/** Renders text with code between backticks. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** Renders paragraphs, which empty lines separate. */
export function paragraphs(text: string): Html[] {
  return text.split('\n\n').map(paragraph => html`<p>${inline(paragraph)}</p>`);
}

/** Renders a value as indented JSON. */
export const json = (value: unknown): Html => html`<pre><code>${JSON.stringify(value, null, 2)}</code></pre>`;
