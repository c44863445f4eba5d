import type { RpcClient } from '@billing/messaging/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { portalLinks, type Notice } from '#domain/portal-links.ts';
import type { Visitor } from '#operations/admit-visitor.ts';
import { findBrand } from '#operations/find-brand.ts';
import type { Html } from '#views/html.ts';
import { portalFooter } from '#views/portal-page.ts';
import type { Texts } from '#views/texts.ts';
import type { langQuery, subscriptionParams, tokenParams } from './page-request.ts';
import type { pageSender } from './send-page.ts';

interface SubscriptionPageDependencies {
  readonly rpc: RpcClient;
  readonly publicUrl: string;
  readonly admit: (request: FastifyRequest, token: string) => Promise<Visitor>;
  readonly sendPage: ReturnType<typeof pageSender>;
}

/** A request for a page of a customer. */
export type PageRequest = FastifyRequest<{
  Params: z.output<typeof tokenParams>;
  Querystring: z.output<typeof langQuery>;
}>;

export type SubscriptionRequest = FastifyRequest<{
  Params: z.output<typeof subscriptionParams>;
  Querystring: z.output<typeof langQuery>;
}>;

interface SubscriptionPage {
  readonly texts: Texts;
  readonly title: string;
  readonly content: Html;
}

/** Returns what the pages besides that with the tabs have in common; most are about one subscription. */
export function subscriptionPages({ rpc, publicUrl, admit, sendPage }: SubscriptionPageDependencies) {
  const brandOf = findBrand({ rpc });
  const linksOf = ({ params, query }: PageRequest) => portalLinks(publicUrl, params.token, query.lang);
  return {
    visitorOf: (request: PageRequest) => admit(request, request.params.token),
    linksOf,
    toSubscriptions: (request: SubscriptionRequest, reply: FastifyReply, notice?: Notice) =>
      reply.redirect(linksOf(request).tab('subscriptions', { notice }), 303),
    send: async (reply: FastifyReply, visitor: Visitor, { texts, ...page }: SubscriptionPage, status?: number) => {
      const frame = { texts, brand: await brandOf(visitor) };
      return sendPage(reply, frame, { ...page, footer: portalFooter(texts) }, status);
    },
  };
}
export type SubscriptionPages = ReturnType<typeof subscriptionPages>;
