import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ApiDocument } from '../openapi.ts';
import { entriesOf } from './entries.ts';
import { renderPage } from './layout.ts';
import { renderSchemas } from './schema.ts';

/** The document as a page to read. */
export interface DocumentationPage {
  /** What a browser may load for the page: its own style and script, and nothing from anywhere. */
  readonly policy: string;
  /** The page, showing the operations in which all words of `query` occur. */
  render(query: string): Promise<string>;
}

/** Prepares the page; it reads its style and script from the folder beside this file. */
export function openPage(document: ApiDocument): DocumentationPage {
  const [style, script] = [readBeside('docs.css'), readBeside('docs.js')];
  const entries = entriesOf(document);
  const schemas = renderSchemas(document.components.schemas);
  return {
    policy: policyFor(style, script),
    render: async query => String(await renderPage({ document, entries, schemas, query, style, script })),
  };
}

function readBeside(name: string): string {
  return readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
}

function policyFor(style: string, script: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    `default-src 'none'`,
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
