import { pathParams } from '@billing/contracts/path-parameters';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

/** The page of the customer portal. */
export const portalEndpoint: Endpoint = {
  id: 'getPortalPage',
  tag: 'Customer portal',
  method: 'GET',
  path: '/portal/{token}',
  summary: 'The page of the customer portal, for a browser',
  description:
    'Needs only the portal token in the path. Shows the customer’s subscriptions, invoices and payment method. A token that is unknown, expired or revoked gets a page as well, with status 404.',
  security: [],
  params: pathParams('/portal/:token'),
  query: z.object({
    tab: z.enum(['subscriptions', 'invoices', 'payment-methods']).optional().describe('The tab to show first.'),
  }),
  takesIdempotencyKey: false,
  isTagged: false,
  status: 200,
  response: 'page',
  errors: ['rate_limited'],
  example: { query: { tab: 'invoices' }, response: '<!doctype html>…' },
};
