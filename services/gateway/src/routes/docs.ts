import { Router } from 'express';
import { describeApi, type ApiDescription } from '#docs/document.ts';
import { llmsText } from '#docs/llms-text.ts';
import type { DocsPage } from '#docs/page/docs-page.ts';
import { docsPolicy } from '#http/page-policy.ts';
import { routeNotFound } from '#http/problem-response.ts';
import type { Handler } from '#http/request-context.ts';
import { sendCheckedFile, sendImmutableFile, staticText } from '#http/static-file.ts';

/**
 * `/openapi.json`, the same document as text at `/llms.txt`, and the reference at `/docs`, which loads the document and its
 * own files. All are public, so they are made once, for the first who reads them: it takes as long as all else of a start.
 */
export function docsRoutes(api: ApiDescription, page: DocsPage): Router {
  const json = once(() => staticText('application/json; charset=utf-8', JSON.stringify(describeApi(api))));
  const text = once(() => staticText('text/markdown; charset=utf-8', llmsText(api)));
  const getText: Handler = (request, response) => sendCheckedFile(request, response, text());
  const getJson: Handler = (request, response) => sendCheckedFile(request, response, json());
  const getPage: Handler = (_request, response) =>
    void response.set('Content-Security-Policy', docsPolicy).type('html').send(page.html);
  const getFile: Handler = (request, response) => {
    const { version, name } = request.params;
    const file = version === page.version ? page.files.get(String(name)) : undefined;
    if (!file) throw routeNotFound();
    return sendImmutableFile(request, response, file);
  };
  return Router({ caseSensitive: true, strict: true })
    .get('/openapi.json', getJson)
    .get('/llms.txt', getText)
    .get('/docs', getPage)
    .get('/docs/:version/:name', getFile);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
