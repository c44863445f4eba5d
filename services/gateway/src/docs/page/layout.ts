import { html, raw } from 'hono/html';
import type { ApiDocument } from '../openapi-types.ts';
import { matches, type Entry } from './entries.ts';
import { inline, paragraphs, type Html } from './markup.ts';

interface PageContent {
  readonly document: ApiDocument;
  readonly entries: readonly Entry[];
  readonly schemas: Html;
  readonly query: string;
  readonly style: string;
  readonly script: string;
}

/** Renders the page. Operations that do not match the query are hidden, so that the script can show them again. */
export function renderPage({ document, entries, schemas, query, style, script }: PageContent): Html {
  const { title, description } = document.info;
  const sections = sectionsOf(document, entries, query);
  const matchCount = entries.filter(entry => matches(entry, query)).length;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${element('style', style)}
      </head>
      <body>
        <a class="skip" href="#operations">Skip to the operations</a>
        <header>
          <h1>${title}</h1>
          <p>For machines: <a href="/openapi.json">openapi.json</a> (OpenAPI ${document.openapi})</p>
        </header>
        <nav aria-label="Contents">
          <form role="search" action="/docs">
            <label for="q">Find operations</label>
            <div class="find">
              <input id="q" name="q" type="search" value="${query}" autocomplete="off" />
              <button>Find</button>
            </div>
            <p role="status" id="match-count">${matchCount} of ${entries.length} operations</p>
          </form>
          <ul class="contents">
            ${sections.map(renderContents)}
            <li><a href="#schemas">Schemas</a></li>
          </ul>
        </nav>
        <main>
          <section>${paragraphs(description)}</section>
          <div id="operations" tabindex="-1">${sections.map(renderSection)}</div>
          ${schemas}
        </main>
        ${element('script', script)}
      </body>
    </html>`;
}

interface Section {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly entries: readonly { readonly entry: Entry; readonly hidden: Html | false }[];
  readonly hidden: Html | false;
}

const HIDDEN = raw('hidden');

function sectionsOf({ tags }: ApiDocument, entries: readonly Entry[], query: string): Section[] {
  return tags.map(({ name, description }) => {
    const ownEntries = entries
      .filter(({ tag }) => tag === name)
      .map(entry => ({ entry, hidden: !matches(entry, query) && HIDDEN }));
    const id = `tag-${name.toLowerCase().replaceAll(' ', '-')}`;
    return { id, name, description, entries: ownEntries, hidden: ownEntries.every(({ hidden }) => hidden) && HIDDEN };
  });
}

function renderContents({ id, name, entries, hidden }: Section): Html {
  return html`<li data-section ${hidden}>
    <a href="#${id}">${name}</a>
    <ul>
      ${entries.map(
        ({ entry, hidden: isHidden }) =>
          html`<li data-search="${entry.searchText}" ${isHidden}><a href="#${entry.id}">${entry.summary}</a></li>`,
      )}
    </ul>
  </li>`;
}

function renderSection({ id, name, description, entries, hidden }: Section): Html {
  return html`<section data-section ${hidden}>
    <h2 id="${id}">${name}</h2>
    <p>${inline(description)}</p>
    ${entries.map(
      ({ entry, hidden: isHidden }) =>
        html`<details class="operation" data-search="${entry.searchText}" ${isHidden}>
          <summary><h3>${entry.title}</h3></summary>
          <div id="${entry.id}" class="content">${entry.body}</div>
        </details>`,
    )}
  </section>`;
}

/** Returns an element with the exact text of a file, as the hash in the policy requires. */
const element = (name: 'style' | 'script', text: string): Html => raw(`<${name}>${text}</${name}>`);
