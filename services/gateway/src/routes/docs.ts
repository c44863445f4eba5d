import { Router } from 'express';
import type { ApiDocument } from '#docs/openapi-types.ts';
import { openPage } from '#docs/page/page.ts';
import type { Handler } from '#http/request-context.ts';

/** Longer queries are cut off. */
const MAX_QUERY_LENGTH = 100;

/** `/openapi.json`, and `/docs`: the same document as a page, which `?q=` filters. Both are public, so they are made once. */
export function docsRoutes(document: ApiDocument): Router {
  const page = openPage(document);
  const json = Buffer.from(JSON.stringify(document));
  let wholePage: Promise<string> | undefined;
  const getJson: Handler = (_request, response) => void response.type('json').send(json);
  const getPage: Handler = async (request, response) => {
    const { searchParams } = new URL(request.url, document.servers[0]?.url);
    const query = (searchParams.get('q') ?? '').slice(0, MAX_QUERY_LENGTH);
    const html = await (query === '' ? (wholePage ??= page.render('')) : page.render(query));
    response.set('Content-Security-Policy', page.policy).type('html').send(html);
  };
  return Router({ caseSensitive: true, strict: true }).get('/openapi.json', getJson).get('/docs', getPage);
}
