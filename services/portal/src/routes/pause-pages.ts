import { randomUUID } from 'node:crypto';
import { portalOperations } from '@billing/contracts/operations/portal';
import { Problem } from '@billing/contracts/problem';
import type { RpcClient } from '@billing/messaging/rpc';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { canPause } from '#domain/pause.ts';
import type { Visitor } from '#operations/admit-visitor.ts';
import { findSubscription } from '#operations/find-customer-billing.ts';
import { pauseSubscription, previewResume, resumeSubscription } from '#operations/pause-subscription.ts';
import type { MessageKey } from '#views/messages/messages.ts';
import { pauseContent, resumeReview } from '#views/pause.ts';
import { customerAuditOf } from './customer-audit.ts';
import {
  afterFirst,
  CONFIRM_AGAIN,
  field,
  formKey,
  isRefusal,
  langQuery,
  operationKeyOf,
  refusalNotice,
  subscriptionParams,
  textsOf,
} from './page-request.ts';
import type { SubscriptionPages, SubscriptionRequest } from './subscription-pages.ts';

const pauseForm = z.preprocess(
  fields => fields ?? {},
  z.object({ days: field(z.coerce.number().int().min(1).max(365)), key: formKey }),
);
const endForm = z.preprocess(
  fields => fields ?? {},
  z.object({ expectedAmountDue: field(z.coerce.number().int()), key: formKey }),
);

/** The page on which a customer pauses a subscription, that with what resuming it costs, and their forms, without script. */
export function pausePages(
  dependencies: { readonly rpc: RpcClient; readonly now: () => Date },
  { visitorOf, linksOf, toSubscriptions, send }: SubscriptionPages,
): FastifyPluginAsyncZod {
  const find = findSubscription(dependencies);
  const pause = pauseSubscription(dependencies);
  const preview = previewResume(dependencies);
  const resume = resumeSubscription(dependencies);

  /** Sends the page with the amounts; `again` says why they are to be confirmed once more. */
  async function sendReview(
    request: SubscriptionRequest,
    reply: FastifyReply,
    visitor: Visitor,
    again?: { readonly problem: MessageKey; readonly status: number },
  ) {
    try {
      const previewed = await preview(visitor, request.params.subscriptionId);
      const texts = textsOf(request, visitor);
      const view = { ...previewed, key: randomUUID(), problem: again?.problem, links: linksOf(request), texts };
      const title = texts.text('resumeThis', {
        name: previewed.subscription.productName ?? texts.text('subscription'),
      });
      return await send(reply, visitor, { texts, title, content: resumeReview(view) }, again?.status);
    } catch (err) {
      return toSubscriptions(request, reply, refusalNotice(err, 'not-possible'));
    }
  }

  return async app => {
    const route = '/:token/subscriptions/:subscriptionId/pause';
    const schema = { params: subscriptionParams, querystring: langQuery };

    app.get(route, { schema }, async (request, reply) => {
      const visitor = await visitorOf(request);
      const subscription = await find(visitor, request.params.subscriptionId);
      const { maxDays } = visitor.config.pause;
      if (!canPause(subscription, visitor.config.pause)) return toSubscriptions(request, reply);
      const texts = textsOf(request, visitor);
      const title = texts.text('pauseThis', { name: subscription.productName ?? texts.text('subscription') });
      const content = pauseContent({ subscription, maxDays, key: randomUUID(), links: linksOf(request), texts });
      return send(reply, visitor, { texts, title, content });
    });

    app.post(route, { schema: { ...schema, body: pauseForm } }, async (request, reply) => {
      const { subscriptionId } = request.params;
      const { days, key } = request.body;
      const visitor = await visitorOf(request);
      const operationKey = key && operationKeyOf(visitor, `${subscriptionId} ${key}`);
      const audit = customerAuditOf(request, portalOperations.pausePortalSubscription, visitor, operationKey);
      try {
        await afterFirst(() =>
          pause(visitor, subscriptionId, days === undefined ? undefined : { days }, audit, operationKey),
        );
        return toSubscriptions(request, reply, 'paused');
      } catch (err) {
        // Paused in another tab, it is so already.
        const notice = isRefusal(err, 'already_paused') ? 'paused' : refusalNotice(err, 'not-possible');
        return toSubscriptions(request, reply, notice);
      }
    });

    app.get(`${route}/end`, { schema }, async (request, reply) => sendReview(request, reply, await visitorOf(request)));

    app.post(`${route}/end`, { schema: { ...schema, body: endForm } }, async (request, reply) => {
      const { subscriptionId } = request.params;
      const { expectedAmountDue = 0, key } = request.body;
      const visitor = await visitorOf(request);
      const operationKey = key && operationKeyOf(visitor, `${subscriptionId} ${key}`);
      const audit = customerAuditOf(request, portalOperations.resumePortalSubscription, visitor, operationKey);
      try {
        await afterFirst(() => resume(visitor, subscriptionId, expectedAmountDue, audit, operationKey));
        return toSubscriptions(request, reply, 'resumed');
      } catch (err) {
        // Ended in another tab, or by itself, it is so already.
        if (isRefusal(err, 'not_paused')) return toSubscriptions(request, reply, 'resumed');
        const problem = err instanceof Problem ? CONFIRM_AGAIN.get(err.code) : undefined;
        if (!(err instanceof Problem) || !problem)
          return toSubscriptions(request, reply, refusalNotice(err, 'not-possible'));
        return sendReview(request, reply, visitor, { problem, status: err.status });
      }
    });
  };
}
