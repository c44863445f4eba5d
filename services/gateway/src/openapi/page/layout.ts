import { html, raw } from 'hono/html';
import type { ApiDocument } from '../openapi.ts';
import { matches, type Entry } from './entries.ts';
import type { Html } from './html.ts';
import { inline, paragraphs } from './prose.ts';

interface Rendered {
  readonly document: ApiDocument;
  readonly entries: readonly Entry[];
  readonly schemas: Html;
  readonly query: string;
  readonly style: string;
  readonly script: string;
}

/** The whole page. What the query leaves out is there but hidden, so that the script can show it again. */
export function renderPage({ document, entries, schemas, query, style, script }: Rendered): Html {
  const { title, description } = document.info;
  const chapters = chaptersOf(document, entries, query);
  const found = entries.filter(entry => matches(entry, query)).length;
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
            <p role="status" id="found">${found} of ${entries.length} operations</p>
          </form>
          <ul class="contents">
            ${chapters.map(renderContents)}
            <li><a href="#schemas">Schemas</a></li>
          </ul>
        </nav>
        <main>
          <section>${paragraphs(description)}</section>
          <div id="operations" tabindex="-1">${chapters.map(renderChapter)}</div>
          ${schemas}
        </main>
        ${element('script', script)}
      </body>
    </html>`;
}

interface Chapter {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly entries: readonly { readonly entry: Entry; readonly hidden: Html | false }[];
  readonly hidden: Html | false;
}

const HIDDEN = raw('hidden');

function chaptersOf({ tags }: ApiDocument, entries: readonly Entry[], query: string): Chapter[] {
  return tags.map(({ name, description }) => {
    const of = entries
      .filter(({ tag }) => tag === name)
      .map(entry => ({ entry, hidden: !matches(entry, query) && HIDDEN }));
    const id = `tag-${name.toLowerCase().replaceAll(' ', '-')}`;
    return { id, name, description, entries: of, hidden: of.every(({ hidden }) => hidden) && HIDDEN };
  });
}

function renderContents({ id, name, entries, hidden }: Chapter): Html {
  return html`<li data-chapter ${hidden}>
    <a href="#${id}">${name}</a>
    <ul>
      ${entries.map(
        ({ entry, hidden: isHidden }) =>
          html`<li data-search="${entry.searched}" ${isHidden}><a href="#${entry.id}">${entry.summary}</a></li>`,
      )}
    </ul>
  </li>`;
}

function renderChapter({ id, name, description, entries, hidden }: Chapter): Html {
  return html`<section data-chapter ${hidden}>
    <h2 id="${id}">${name}</h2>
    <p>${inline(description)}</p>
    ${entries.map(
      ({ entry, hidden: isHidden }) =>
        html`<details class="operation" data-search="${entry.searched}" ${isHidden}>
          <summary><h3>${entry.title}</h3></summary>
          <div id="${entry.id}" class="told">${entry.told}</div>
        </details>`,
    )}
  </section>`;
}

/** An element that holds a file to the letter, as the policy's hash wants it. */
const element = (name: 'style' | 'script', text: string): Html => raw(`<${name}>${text}</${name}>`);
