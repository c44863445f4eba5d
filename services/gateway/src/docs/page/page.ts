import { readFileSync } from 'node:fs';
import { pagePolicy } from '#http/page-policy.ts';
import type { ApiDocument } from '../openapi-types.ts';
import { entriesOf } from './entries.ts';
import { renderPage } from './layout.ts';
import { renderSchemas } from './schema.ts';

/** The document as an HTML page. */
export interface DocsPage {
  /** The Content-Security-Policy: only the page's own style and script. */
  readonly policy: string;
  /** Returns the page; it shows the operations that contain all words of `query`. */
  render(query: string): Promise<string>;
}

/** Prepares the page; reads its style and script from the folder `browser`. */
export function openPage(document: ApiDocument): DocsPage {
  const [style, script] = [readBrowserFile('docs.css'), readBrowserFile('docs.js')];
  const entries = entriesOf(document);
  const schemas = renderSchemas(document.components.schemas);
  return {
    policy: pagePolicy({ style, script }),
    render: async query => String(await renderPage({ document, entries, schemas, query, style, script })),
  };
}

function readBrowserFile(name: string): string {
  return readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
}
