import { html } from 'hono/html';
import type { ApiDocument } from '../openapi-types.ts';
import type { Html } from './markup.ts';
import { renderOperation, type LocatedOperation } from './operation.ts';

/** An operation on the page. */
export interface Entry {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  /** The text that a search looks in, in lower case. */
  readonly searchText: string;
  readonly title: Html;
  /** The content below the title. */
  readonly body: Html;
}

/** Returns every operation of the document, in order. */
export function entriesOf(document: ApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      entryOf(document, { path, method: method.toUpperCase(), operation }),
    ),
  );
}

/** Returns whether all words of a query occur in an operation's method, path, summary, id, section or scopes. */
export function matches({ searchText }: Entry, query: string): boolean {
  return query
    .toLowerCase()
    .split(/\s+/)
    .every(word => searchText.includes(word));
}

function entryOf(document: ApiDocument, located: LocatedOperation): Entry {
  const { path, method, operation } = located;
  const { operationId: id, summary, tags, security } = operation;
  const scopes = security.flatMap(requirement => Object.values(requirement).flat());
  return {
    id,
    tag: tags[0],
    summary,
    searchText: [method, path, summary, id, tags[0], ...scopes].join(' ').toLowerCase(),
    title: html`<span class="method">${method}</span> <code>${path}</code>
      <span class="summary">${summary}</span> ${scopes.map(scope => html`<span class="scope">${scope}</span>`)}`,
    body: renderOperation(document, located),
  };
}
