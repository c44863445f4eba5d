import { portalOperations } from '@billing/contracts/operations/portal';
import { Problem } from '@billing/contracts/problem';
import type { RpcClient } from '@billing/messaging/rpc';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import { cancelForm, saveOfferForm } from '#domain/cancel-form.ts';
import type { Notice } from '#domain/portal-links.ts';
import { canCancel } from '#domain/subscription-status.ts';
import { findSubscription } from '#operations/find-customer-billing.ts';
import { acceptSaveOffer, findSaveOffer } from '#operations/save-offer.ts';
import { scheduleCancellation, type WantedCancellation } from '#operations/schedule-cancellation.ts';
import { confirmationContent } from '#views/cancellation.ts';
import { customerAuditOf } from './customer-audit.ts';
import { langQuery, refusalNotice, subscriptionParams, textsOf } from './page-request.ts';
import type { SubscriptionPages, SubscriptionRequest } from './subscription-pages.ts';

interface CancelPageDependencies {
  readonly rpc: RpcClient;
  readonly logger: Logger;
}

/** The page on which a customer confirms a cancellation or accepts an offer instead, and the forms that cancel and resume. */
export function cancelPages(
  dependencies: CancelPageDependencies,
  { visitorOf, linksOf, toSubscriptions, send }: SubscriptionPages,
): FastifyPluginAsyncZod {
  const findOwn = findSubscription(dependencies);
  const findOffer = findSaveOffer(dependencies);
  const acceptOffer = acceptSaveOffer(dependencies);
  const schedule = scheduleCancellation(dependencies);

  async function change(request: SubscriptionRequest, reply: FastifyReply, wanted: WantedCancellation) {
    const visitor = await visitorOf(request);
    const audit = customerAuditOf(request, portalOperations.updatePortalSubscription, visitor);
    const notice = await schedule(visitor, request.params.subscriptionId, wanted, audit).then(
      (): Notice => (wanted.cancelAtPeriodEnd ? 'cancel-scheduled' : 'resumed'),
      (err: unknown) => refusalNotice(err),
    );
    return toSubscriptions(request, reply, notice);
  }

  return async app => {
    const path = '/:token/subscriptions/:subscriptionId';
    const schema = { params: subscriptionParams, querystring: langQuery };

    app.get(`${path}/cancel`, { schema }, async (request, reply) => {
      const { subscriptionId } = request.params;
      const visitor = await visitorOf(request);
      const [subscription, offer] = await Promise.all([
        findOwn(visitor, subscriptionId),
        findOffer(visitor, subscriptionId),
      ]);
      if (!canCancel(subscription)) return toSubscriptions(request, reply);
      const texts = textsOf(request, visitor);
      const { askReason } = visitor.config.cancellation;
      const content = confirmationContent({ subscription, askReason, offer, links: linksOf(request), texts });
      return send(reply, visitor, { texts, title: texts.text('cancelYours'), content });
    });

    app.post(`${path}/cancel`, { schema: { ...schema, body: cancelForm } }, async (request, reply) => {
      const { reason, comment, offer } = request.body;
      return change(request, reply, { cancelAtPeriodEnd: true, reason, comment, declinesOffer: offer === 'declined' });
    });

    app.post(`${path}/resume`, { schema }, async (request, reply) =>
      change(request, reply, { cancelAtPeriodEnd: false }),
    );

    app.post(`${path}/save-offer`, { schema: { ...schema, body: saveOfferForm } }, async (request, reply) => {
      const { subscriptionId } = request.params;
      const visitor = await visitorOf(request);
      const audit = customerAuditOf(request, portalOperations.acceptSaveOffer, visitor);
      const notice = await acceptOffer(visitor, subscriptionId, audit, request.body.promotionCodeId).then(
        (): Notice => 'offer-accepted',
        async (err: unknown): Promise<Notice> => {
          if (!(err instanceof Problem) || err.code !== 'save_offer_not_available') throw err;
          // Clicked twice, it is accepted already.
          const { saveOffer } = await findOwn(visitor, subscriptionId);
          return saveOffer === 'accepted' ? 'offer-accepted' : 'offer-gone';
        },
      );
      return toSubscriptions(request, reply, notice);
    });
  };
}
