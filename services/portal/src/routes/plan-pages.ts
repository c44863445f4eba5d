import { randomUUID } from 'node:crypto';
import { PriceId } from '@billing/contracts/ids';
import { portalOperations } from '@billing/contracts/operations/portal';
import { Problem } from '@billing/contracts/problem';
import type { MadeChange } from '@billing/contracts/resources/plan-change';
import { timestamp } from '@billing/contracts/timestamp';
import type { RpcClient } from '@billing/messaging/rpc';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Choice } from '#domain/offer.ts';
import type { Notice } from '#domain/portal-links.ts';
import type { Visitor } from '#operations/admit-visitor.ts';
import { changePlan, dropPlanChange, previewPlan } from '#operations/change-plan.ts';
import { findOffer } from '#operations/find-offer.ts';
import type { MessageKey } from '#views/messages/messages.ts';
import { planChoice } from '#views/plan-choice.ts';
import { planReview } from '#views/plan-review.ts';
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

const choice = { priceId: field(PriceId.schema), quantity: field(z.coerce.number().int().min(1)) };
const previewQuery = langQuery.extend(choice);
const confirmationForm = z.object({
  ...choice,
  prorationDate: field(timestamp),
  expectedAmountDue: field(z.coerce.number().int()),
  terms: z.string().optional().catch(undefined),
  key: formKey,
});

const MADE: Readonly<Record<MadeChange['status'], Notice | undefined>> = {
  applied: 'updated',
  scheduled: 'update-scheduled',
  // The subscription's card says it, with the link to pay.
  pending_payment: undefined,
};

/** Names how the project has changes made: other settings make another change of the same amount. */
const termsOf = ({ config: { planSwitch } }: Visitor): string => `${planSwitch.when} ${planSwitch.proration}`;

/**
 * The pages on which customers change plan and quantity, without script: choose, see the exact amounts, confirm. What has become
 * impossible meanwhile leads back to the subscriptions, with a notice.
 */
export function planPages(
  { rpc }: { readonly rpc: RpcClient },
  { visitorOf, linksOf, toSubscriptions, send }: SubscriptionPages,
): FastifyPluginAsyncZod {
  const find = findOffer({ rpc });
  const preview = previewPlan({ rpc });
  const change = changePlan({ rpc });
  const drop = dropPlanChange({ rpc });

  /** Sends the page with the choices; `problem` says what was wrong with what was chosen. */
  async function sendChoice(request: SubscriptionRequest, reply: FastifyReply, visitor: Visitor, wrong?: WrongChoice) {
    const { subscription, offer } = await find(visitor, request.params.subscriptionId);
    if (!offer) return toSubscriptions(request, reply);
    const texts = textsOf(request, visitor);
    const content = planChoice({ subscription, offer, ...wrong, links: linksOf(request), texts });
    const title = texts.text('update', { name: subscription.productName ?? texts.text('subscription') });
    return send(reply, visitor, { texts, title, content }, wrong && 422);
  }

  /** Sends the page with the amounts; `again` says why they are to be confirmed once more. */
  async function sendReview(
    request: SubscriptionRequest,
    reply: FastifyReply,
    visitor: Visitor,
    { priceId, quantity }: Choice,
    again?: ConfirmAgain,
  ) {
    const chosen = { priceId, quantity };
    try {
      const previewed = await preview(visitor, request.params.subscriptionId, chosen);
      const texts = textsOf(request, visitor);
      const confirmation = { terms: termsOf(visitor), key: randomUUID(), problem: again?.problem };
      const view = { ...previewed, ...confirmation, links: linksOf(request), texts };
      const page = { texts, title: texts.text('confirmUpdate'), content: planReview(view) };
      return await send(reply, visitor, page, again?.status);
    } catch (err) {
      if (isRefusal(err, 'no_change')) return sendChoice(request, reply, visitor, { chosen, problem: 'sameAsNow' });
      return toSubscriptions(request, reply, refusalNotice(err, 'not-possible'));
    }
  }

  return async app => {
    const route = '/:token/subscriptions/:subscriptionId/change';

    app.get(route, { schema: { params: subscriptionParams, querystring: langQuery } }, async (request, reply) =>
      sendChoice(request, reply, await visitorOf(request)),
    );

    app.get(
      `${route}/preview`,
      { schema: { params: subscriptionParams, querystring: previewQuery } },
      async (request, reply) => sendReview(request, reply, await visitorOf(request), request.query),
    );

    app.post(
      route,
      { schema: { params: subscriptionParams, querystring: langQuery, body: confirmationForm } },
      async (request, reply) => {
        const { subscriptionId } = request.params;
        const visitor = await visitorOf(request);
        const { key, terms, ...wanted } = request.body;
        // Only what the customer has seen is confirmed.
        if (wanted.expectedAmountDue === undefined) return sendChoice(request, reply, visitor);
        if (terms !== termsOf(visitor))
          return sendReview(request, reply, visitor, wanted, { problem: 'amountsChanged', status: 409 });
        const operationKey = key && operationKeyOf(visitor, `${subscriptionId} ${key}`);
        const audit = customerAuditOf(request, portalOperations.changePortalPlan, visitor, operationKey);
        try {
          const { change: made } = await afterFirst(() => change(visitor, subscriptionId, wanted, audit, operationKey));
          return toSubscriptions(request, reply, MADE[made.status]);
        } catch (err) {
          // Confirmed in another tab, it is so already.
          if (isRefusal(err, 'no_change')) return toSubscriptions(request, reply, 'updated');
          const problem = err instanceof Problem ? CONFIRM_AGAIN.get(err.code) : undefined;
          if (!(err instanceof Problem) || !problem)
            return toSubscriptions(request, reply, refusalNotice(err, 'not-possible'));
          return sendReview(request, reply, visitor, wanted, { problem, status: err.status });
        }
      },
    );

    app.post(
      `${route}/drop`,
      { schema: { params: subscriptionParams, querystring: langQuery } },
      async (request, reply) => {
        const { subscriptionId } = request.params;
        const visitor = await visitorOf(request);
        const audit = customerAuditOf(request, portalOperations.dropPortalPlanChange, visitor);
        try {
          await drop(visitor, subscriptionId, audit);
          return toSubscriptions(request, reply, 'update-dropped');
        } catch (err) {
          // It is gone already: the card shows what is so.
          if (isRefusal(err, 'change_not_found')) return toSubscriptions(request, reply);
          throw err;
        }
      },
    );
  };
}

interface WrongChoice {
  readonly chosen: Choice;
  readonly problem: MessageKey;
}

interface ConfirmAgain {
  readonly problem: MessageKey;
  readonly status: number;
}
