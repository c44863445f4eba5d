import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

/** The customer's page, which is a page and no operation. */
export const portalEndpoint: Endpoint = {
  id: 'getPortalPage',
  tag: 'Customer portal',
  method: 'GET',
  path: '/portal/:token',
  summary: 'The page of the customer portal, for a browser',
  description:
    'For whoever holds the portal token in the path. Shows the customer’s subscriptions, invoices and payment method. A bad, expired or revoked token gets a page as well, with status 404.',
  security: [],
  params: z.object({ token: z.string().max(256) }),
  query: z.object({ tab: z.enum(['subscriptions', 'invoices', 'payment-methods']).optional() }),
  takesIdempotencyKey: false,
  status: 200,
  response: 'page',
  refusals: ['rate_limited'],
  example: { query: { tab: 'invoices' }, response: '<!doctype html>…' },
};
