import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PriceId } from '@billing/contracts/ids';
import { portalOperations } from '@billing/contracts/operations/portal';
import { Problem } from '@billing/contracts/problem';
import type { MadeChange } from '@billing/contracts/resources/plan-change';
import { timestamp } from '@billing/contracts/timestamp';
import type { RpcClient } from '@billing/messaging/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Choice } from '#domain/offer.ts';
import { portalLinks, type Notice } from '#domain/portal-links.ts';
import type { Visitor } from '#operations/admit-visitor.ts';
import { changePlan, dropPlanChange, previewPlan } from '#operations/change-plan.ts';
import { findBrand } from '#operations/find-brand.ts';
import { findOffer } from '#operations/find-offer.ts';
import type { MessageKey } from '#views/messages/en.ts';
import { planChoice } from '#views/plan-choice.ts';
import { planReview } from '#views/plan-review.ts';
import { portalFooter } from '#views/portal-page.ts';
import { customerAuditOf } from './customer-audit.ts';
import { formKey, langQuery, operationKeyOf, refusalNotice, subscriptionParams, textsOf } from './page-request.ts';
import type { pageSender } from './send-page.ts';

interface PlanPageDependencies {
  readonly rpc: RpcClient;
  readonly publicUrl: string;
}

interface PageParts {
  readonly admit: (request: FastifyRequest, token: string) => Promise<Visitor>;
  readonly sendPage: ReturnType<typeof pageSender>;
}

/** A field of a form that is empty, or was never filled by the page, counts as left out. */
const field = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === '' ? undefined : value), schema.optional()).catch(undefined);

const choice = { priceId: field(PriceId.schema), quantity: field(z.coerce.number().int().min(1)) };
const previewQuery = langQuery.extend(choice);
const confirmation = z.object({
  ...choice,
  prorationDate: field(timestamp),
  expectedAmountDue: field(z.coerce.number().int()),
  key: formKey,
});

type PlanRequest = FastifyRequest<{
  Params: z.output<typeof subscriptionParams>;
  Querystring: z.output<typeof langQuery>;
}>;

/** How long a second click waits for the first one, in milliseconds, and how often it looks. */
const LONGEST_CHANGE_MS = 10_000;
const NEXT_LOOK_MS = 300;

const MADE: Readonly<Record<MadeChange['status'], Notice | undefined>> = {
  applied: 'updated',
  scheduled: 'update-scheduled',
  // The subscription's card says it, with the link to pay.
  pending_payment: undefined,
};

/** What a change is confirmed again for, with the amounts of this moment. */
const CONFIRM_AGAIN: ReadonlyMap<string, MessageKey> = new Map([
  ['amount_changed', 'amountsChanged'],
  ['preview_expired', 'amountsChanged'],
  ['payment_failed', 'paymentDeclined'],
]);

/**
 * The pages on which customers change plan and quantity, without script: choose, see the exact amounts, confirm. What has become
 * impossible meanwhile leads back to the subscriptions, with a notice.
 */
export function planPages({ rpc, publicUrl }: PlanPageDependencies, parts: PageParts): FastifyPluginAsyncZod {
  const { admit, sendPage } = parts;
  const find = findOffer({ rpc });
  const preview = previewPlan({ rpc });
  const change = changePlan({ rpc });
  const drop = dropPlanChange({ rpc });
  const brandOf = findBrand({ rpc });
  const linksOf = ({ params, query }: PlanRequest) => portalLinks(publicUrl, params.token, query.lang);

  const toSubscriptions = (request: PlanRequest, reply: FastifyReply, notice?: Notice) =>
    reply.redirect(linksOf(request).tab('subscriptions', { notice }), 303);

  /** Sends the page with the choices; `problem` says what was wrong with what was chosen. */
  async function sendChoice(request: PlanRequest, reply: FastifyReply, visitor: Visitor, wrong?: WrongChoice) {
    const [{ subscription, offer }, brand] = await Promise.all([
      find(visitor, request.params.subscriptionId),
      brandOf(visitor),
    ]);
    if (!offer) return toSubscriptions(request, reply);
    const texts = textsOf(request, visitor);
    const content = planChoice({ subscription, offer, ...wrong, links: linksOf(request), texts });
    const title = texts.text('update', { name: subscription.productName ?? texts.text('subscription') });
    const page = { title, content, footer: portalFooter(texts) };
    return sendPage(reply, { texts, brand }, page, wrong ? 422 : 200);
  }

  /** Sends the page with the amounts; `again` says why they are to be confirmed once more. */
  async function sendReview(
    request: PlanRequest,
    reply: FastifyReply,
    visitor: Visitor,
    chosen: Choice,
    again?: ConfirmAgain,
  ) {
    try {
      const [previewed, brand] = await Promise.all([
        preview(visitor, request.params.subscriptionId, chosen),
        brandOf(visitor),
      ]);
      const texts = textsOf(request, visitor);
      const view = { ...previewed, links: linksOf(request), texts, key: randomUUID(), problem: again?.problem };
      const page = { title: texts.text('confirmUpdate'), content: planReview(view), footer: portalFooter(texts) };
      return await sendPage(reply, { texts, brand }, page, again?.status);
    } catch (err) {
      if (isRefusal(err, 'no_change')) return sendChoice(request, reply, visitor, { chosen, problem: 'sameAsNow' });
      return toRefusal(request, reply, err);
    }
  }

  /** Leads back to the subscriptions after a refusal; another error is thrown on. */
  function toRefusal(request: PlanRequest, reply: FastifyReply, err: unknown) {
    if (!(err instanceof Problem) || err.kind !== 'unprocessable') throw err;
    return toSubscriptions(request, reply, refusalNotice(err) ?? 'not-possible');
  }

  return async app => {
    const route = '/:token/subscriptions/:subscriptionId/change';

    app.get(route, { schema: { params: subscriptionParams, querystring: langQuery } }, async (request, reply) =>
      sendChoice(request, reply, await admit(request, request.params.token)),
    );

    app.get(
      `${route}/preview`,
      { schema: { params: subscriptionParams, querystring: previewQuery } },
      async (request, reply) => {
        const { priceId, quantity } = request.query;
        return sendReview(request, reply, await admit(request, request.params.token), { priceId, quantity });
      },
    );

    app.post(
      route,
      { schema: { params: subscriptionParams, querystring: langQuery, body: confirmation } },
      async (request, reply) => {
        const { token, subscriptionId } = request.params;
        const visitor = await admit(request, token);
        const { key, ...wanted } = request.body;
        // Only what the customer has seen is confirmed.
        if (wanted.expectedAmountDue === undefined) return sendChoice(request, reply, visitor);
        const operationKey = key && operationKeyOf(visitor, `${subscriptionId} ${key}`);
        const audit = customerAuditOf(request, portalOperations.changePortalPlan, visitor, operationKey);
        try {
          const { change: made } = await afterFirst(() => change(visitor, subscriptionId, wanted, audit, operationKey));
          return toSubscriptions(request, reply, MADE[made.status]);
        } catch (err) {
          const problem = err instanceof Problem ? CONFIRM_AGAIN.get(err.code) : undefined;
          if (!(err instanceof Problem) || !problem) return toRefusal(request, reply, err);
          const { priceId, quantity } = wanted;
          return sendReview(request, reply, visitor, { priceId, quantity }, { problem, status: err.status });
        }
      },
    );

    app.post(
      `${route}/drop`,
      { schema: { params: subscriptionParams, querystring: langQuery } },
      async (request, reply) => {
        const { token, subscriptionId } = request.params;
        const visitor = await admit(request, token);
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

/** Makes a change once the first click on the same page has: the browser shows what comes of the last one. */
async function afterFirst<Made>(change: () => Promise<Made>): Promise<Made> {
  const endsAt = performance.now() + LONGEST_CHANGE_MS;
  for (;;)
    try {
      return await change();
    } catch (err) {
      if (!isRefusal(err, 'idempotency_key_in_use') || performance.now() > endsAt) throw err;
      await pause(NEXT_LOOK_MS);
    }
}

interface WrongChoice {
  readonly chosen: Choice;
  readonly problem: MessageKey;
}

interface ConfirmAgain {
  readonly problem: MessageKey;
  readonly status: number;
}

const isRefusal = (err: unknown, code: string): boolean => err instanceof Problem && err.code === code;
