import { Router } from 'express';
import type { Step } from '#http/exchange.ts';
import type { ApiDocument } from '#openapi/openapi.ts';
import { openPage } from '#openapi/page/page.ts';

/** Longer than anything that is looked for. */
const MAX_QUERY_LENGTH = 100;

/** `/openapi.json` and the page `/docs` made of it, which `?q=` narrows to some operations. */
export function documentationRoutes(document: ApiDocument): Router {
  const page = openPage(document);
  const asJson: Step = (_request, reply) => void reply.json(document);
  const asPage: Step = async (request, reply) => {
    const { searchParams } = new URL(request.url, document.servers[0]?.url);
    const query = (searchParams.get('q') ?? '').slice(0, MAX_QUERY_LENGTH);
    const shown = await page.render(query);
    reply.set('Content-Security-Policy', page.policy).type('html').send(shown);
  };
  return Router({ caseSensitive: true, strict: true }).get('/openapi.json', asJson).get('/docs', asPage);
}
