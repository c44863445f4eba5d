import { portalOperations } from '@billing/contracts/operations/portal';
import { Problem } from '@billing/contracts/problem';
import type { RpcClient } from '@billing/messaging/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { cancelForm } from '#domain/cancel-form.ts';
import { portalLinks, type Notice } from '#domain/portal-links.ts';
import { canCancel } from '#domain/subscription-status.ts';
import type { Visitor } from '#operations/admit-visitor.ts';
import { findBrand } from '#operations/find-brand.ts';
import { findSubscription } from '#operations/find-customer-billing.ts';
import { acceptSaveOffer, findSaveOffer } from '#operations/save-offer.ts';
import { scheduleCancellation, type WantedCancellation } from '#operations/schedule-cancellation.ts';
import { confirmationContent } from '#views/cancellation.ts';
import { portalFooter } from '#views/portal-page.ts';
import { customerAuditOf } from './customer-audit.ts';
import { langQuery, refusalNotice, subscriptionParams, textsOf } from './page-request.ts';
import type { pageSender } from './send-page.ts';

interface CancelPageDependencies {
  readonly rpc: RpcClient;
  readonly logger: Logger;
  readonly publicUrl: string;
}

interface PageParts {
  readonly admit: (request: FastifyRequest, token: string) => Promise<Visitor>;
  readonly sendPage: ReturnType<typeof pageSender>;
}

type SubscriptionRequest = FastifyRequest<{
  Params: z.output<typeof subscriptionParams>;
  Querystring: z.output<typeof langQuery>;
}>;

/** The page on which a customer confirms a cancellation or accepts an offer instead, and the forms that cancel and resume. */
export function cancelPages(
  dependencies: CancelPageDependencies,
  { admit, sendPage }: PageParts,
): FastifyPluginAsyncZod {
  const findProjectBrand = findBrand(dependencies);
  const findOwn = findSubscription(dependencies);
  const findOffer = findSaveOffer(dependencies);
  const acceptOffer = acceptSaveOffer(dependencies);
  const schedule = scheduleCancellation(dependencies);

  const linksOf = ({ params, query }: SubscriptionRequest) =>
    portalLinks(dependencies.publicUrl, params.token, query.lang);

  async function change(request: SubscriptionRequest, reply: FastifyReply, wanted: WantedCancellation) {
    const visitor = await admit(request, request.params.token);
    const audit = customerAuditOf(request, portalOperations.updatePortalSubscription, visitor);
    let notice: Notice | undefined = wanted.cancelAtPeriodEnd ? 'cancel-scheduled' : 'resumed';
    try {
      await schedule(visitor, request.params.subscriptionId, wanted, audit);
    } catch (err) {
      notice = refusalNotice(err);
      if (!notice) throw err;
    }
    return reply.redirect(linksOf(request).tab('subscriptions', { notice }), 303);
  }

  return async app => {
    const path = '/:token/subscriptions/:subscriptionId';
    const schema = { params: subscriptionParams, querystring: langQuery };

    app.get(`${path}/cancel`, { schema }, async (request, reply) => {
      const { token, subscriptionId } = request.params;
      const visitor = await admit(request, token);
      const [subscription, brand, offer] = await Promise.all([
        findOwn(visitor, subscriptionId),
        findProjectBrand(visitor),
        findOffer(visitor, subscriptionId),
      ]);
      const links = linksOf(request);
      if (!canCancel(subscription)) return reply.redirect(links.tab('subscriptions'), 303);
      const texts = textsOf(request, visitor);
      const { askReason } = visitor.config.cancellation;
      const content = confirmationContent({ subscription, askReason, offer, links, texts });
      const page = { title: texts.text('cancelYours'), content, footer: portalFooter(texts) };
      return sendPage(reply, { texts, brand }, page);
    });

    app.post(`${path}/cancel`, { schema: { ...schema, body: cancelForm } }, async (request, reply) => {
      const { reason, comment, offer } = request.body;
      return change(request, reply, { cancelAtPeriodEnd: true, reason, comment, declinesOffer: offer === 'declined' });
    });

    app.post(`${path}/resume`, { schema }, async (request, reply) =>
      change(request, reply, { cancelAtPeriodEnd: false }),
    );

    app.post(`${path}/save-offer`, { schema }, async (request, reply) => {
      const { token, subscriptionId } = request.params;
      const visitor = await admit(request, token);
      const audit = customerAuditOf(request, portalOperations.acceptSaveOffer, visitor);
      const notice = await acceptOffer(visitor, subscriptionId, audit).then(
        (): Notice => 'offer-accepted',
        async (err: unknown): Promise<Notice> => {
          if (!(err instanceof Problem) || err.code !== 'save_offer_not_available') throw err;
          // Clicked twice, it is accepted already.
          const { saveOffer } = await findOwn(visitor, subscriptionId);
          return saveOffer === 'accepted' ? 'offer-accepted' : 'offer-gone';
        },
      );
      return reply.redirect(linksOf(request).tab('subscriptions', { notice }), 303);
    });
  };
}
