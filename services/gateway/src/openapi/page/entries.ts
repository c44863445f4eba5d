import { html } from 'hono/html';
import type { ApiDocument } from '../openapi.ts';
import type { Html } from './html.ts';
import { renderOperation, type PlacedOperation } from './operation.ts';

/** An operation on the page. */
export interface Entry {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** What is searched, in lower case. */
  readonly searched: string;
  readonly title: Html;
  /** What stands below the title. */
  readonly told: Html;
}

/** Every operation of the document, in its order. */
export function entriesOf(document: ApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      entryOf(document, { path, method: method.toUpperCase(), operation }),
    ),
  );
}

/** Whether all words of a query occur in an operation's method, path, title, id, chapter or scopes. */
export function matches({ searched }: Entry, query: string): boolean {
  return query
    .toLowerCase()
    .split(/\s+/)
    .every(word => searched.includes(word));
}

function entryOf(document: ApiDocument, placed: PlacedOperation): Entry {
  const { path, method, operation } = placed;
  const { operationId: id, summary, tags, security } = operation;
  const scopes = security.flatMap(requirement => Object.values(requirement).flat());
  return {
    id,
    tag: tags[0],
    summary,
    searched: [method, path, summary, id, tags[0], ...scopes].join(' ').toLowerCase(),
    title: html`<span class="method">${method}</span> <code>${path}</code>
      <span class="what">${summary}</span> ${scopes.map(scope => html`<span class="scope">${scope}</span>`)}`,
    told: renderOperation(document, placed),
  };
}
