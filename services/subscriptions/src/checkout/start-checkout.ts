import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, ProductId, type ProjectScope } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import {
  CHECKOUT_LOCALES,
  CHECKOUT_MODES,
  CHECKOUT_PAGES,
  PAYMENT_METHOD_COLLECTIONS,
  TRIAL_ENDS,
  type CheckoutCreate,
} from '@billing/contracts/resources/checkout';
import { currentTrace } from '@billing/tracing/trace-carrier';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf } from '@billing/service/audited-operation';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { CheckoutSessionSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { findTaxDefault } from '#copies/find-tax-default';
import { problemOfRedemption } from '#copies/resolve-promotion-code';
import type { Dependencies } from '../dependencies.ts';
import { CheckoutSession } from './checkout-session.entity.ts';
import { findPurchaseHistory } from './purchase-history.ts';
import { requireWithinLimits, turnOfSales } from './purchase.rules.ts';
import { auditedItems, itemsOf, resolvePurchase, type Purchase } from './resolve-purchase.ts';

/** A checkout session that is open for a customer: a URL of its own, or a secret that shows it in another page. */
interface OpenCheckout {
  readonly sessionId: string;
  readonly url: string | null;
  readonly clientSecret: string | null;
}

/** Keys up to which a trace, and the id of the operation, find room among the 50 of Stripe. */
const ROOM_FOR_TRACE = 49;

const input = z.object({
  mode: z.enum(CHECKOUT_MODES),
  customerId: z.string(),
  lines: z.array(z.object({ priceId: z.string(), quantity: z.int().exactOptional() })),
  currency: z.string().exactOptional(),
  page: z.enum(CHECKOUT_PAGES).exactOptional(),
  successUrl: z.string(),
  cancelUrl: z.string().exactOptional(),
  trialDays: z.int().exactOptional(),
  trialEndsWithoutMethod: z.enum(TRIAL_ENDS).exactOptional(),
  paymentMethodCollection: z.enum(PAYMENT_METHOD_COLLECTIONS).exactOptional(),
  allowPromotionCodes: z.boolean().exactOptional(),
  promotionCodeId: z.string().exactOptional(),
  automaticTax: z.boolean().exactOptional(),
  taxIdCollection: z.boolean().exactOptional(),
  clientReferenceId: z.string().exactOptional(),
  locale: z.enum(CHECKOUT_LOCALES).exactOptional(),
  metadata: z.record(z.string(), z.string()),
  /** What is to be sold only once, and to whom. */
  once: z.object({ customerId: CustomerId.schema, productIds: z.array(ProductId.schema) }).exactOptional(),
});

/** Creates a checkout session at the processor; until then its row is only reserved. */
export function createCheckoutKind({ now }: Pick<Dependencies, 'now'>) {
  const kind: OperationKind<z.output<typeof input>, OpenCheckout, OpenCheckout> = {
    name: 'create-checkout',
    input,
    async prepare({ input: session, teamId, projectId }, em) {
      if (session.once) {
        const history = await findPurchaseHistory(em, { teamId, projectId }, session.once);
        requireWithinLimits(history, { oncePerCustomer: true, trialOncePerCustomer: false });
      }
      return session;
    },
    async send(processor, { id: operationId, input: session, idempotencyKey }) {
      return toOpenCheckout(await processor.createCheckoutSession({ ...session, operationId }, idempotencyKey));
    },
    async findExisting(processor, { id: operationId, input: { customerId }, createdAt: since }) {
      const found = await processor.findCreatedCheckoutSession(customerId, { metadata: { operationId }, since });
      return found && toOpenCheckout(found);
    },
    async commit(tx, { id, teamId, projectId }, opened) {
      const session = await tx.findOne(CheckoutSession, { id, teamId, projectId });
      if (!session) throw unavailable('The checkout session is no longer reserved.');
      const { sessionId: processorSessionId, url, clientSecret } = opened;
      tx.assign(session, { state: 'open', processorSessionId, url, clientSecret, updatedAt: now() });
      return opened;
    },
    async cancel(tx, { id, teamId, projectId }) {
      await tx.nativeDelete(CheckoutSession, { id, teamId, projectId, state: 'reserved' });
    },
  };
  return audited(kind, { idOf: ({ sessionId }) => sessionId });
}

/**
 * Creates a checkout session with a page, hosted or embedded. The same operation key gives the same session.
 * @throws Problem what `resolvePurchase` and `findTaxDefault` throw; 409 `processor_not_connected`; `processor_error` after a
 * refusal, with nothing left behind; `unavailable` when the processor does not respond
 */
export function startCheckout(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'operationLog' | 'traces' | 'now'>,
) {
  const { operationLog, traces, now } = dependencies;
  const [resolve, taxDefaultOf] = [resolvePurchase(dependencies), findTaxDefault(dependencies)];
  const kind = createCheckoutKind(dependencies);
  return async (
    scope: ProjectScope,
    requested: CheckoutCreate,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<OpenCheckout> => {
    const purchase = await resolve(scope, requested);
    const wanted = { ...requested, automaticTax: requested.automaticTax ?? (await taxDefaultOf(scope)) };
    const { teamId, projectId } = scope;
    const { customerId } = requested;
    const priceIds = itemsOf(requested).map(({ priceId }) => priceId);
    const [priceId = null] = priceIds;
    const request = {
      // In its turn, a page is opened before a sale that expires it, or sees what was sold.
      resourceId: requested.oncePerCustomer ? turnOfSales(customerId) : operationKey,
      operationKey,
      find: (em: EntityManager) => findOpened(em, scope, operationKey),
    };
    const opened = operationLog.perform(kind, { teamId, projectId }, request, async tx => {
      const createdAt = now();
      tx.create(CheckoutSession, {
        id: operationKey,
        teamId,
        projectId,
        customerId,
        priceId,
        priceIds,
        state: 'reserved',
        processorSessionId: null,
        processorSubscriptionId: null,
        url: null,
        clientSecret: null,
        readAt: null,
        createdAt,
        updatedAt: createdAt,
      });
      const { mode, trialDays, promotionCode } = requested;
      const audit = pendingAuditOf(context, {
        target: { type: 'checkout_session', id: operationKey },
        changes: changesOf(null, { mode, customerId, ...auditedItems(requested), trialDays, promotionCode }),
      });
      const trace = traces.sign(teamId, currentTrace());
      return { ...toSession(scope, wanted, { purchase, trace }), audit };
    });
    return opened.catch((err: unknown) => Promise.reject(problemOfRedemption(err)));
  };
}

function toOpenCheckout({ id: sessionId, url, clientSecret }: CheckoutSessionSnapshot): OpenCheckout {
  if (!url && !clientSecret)
    throw new Problem('processor_failed', 'processor_error', 'The processor gave the checkout no page.');
  return { sessionId, url, clientSecret };
}

function toSession(
  { teamId, projectId }: ProjectScope,
  requested: CheckoutCreate & { readonly automaticTax: boolean },
  { purchase, trace }: { purchase: Purchase; trace: Readonly<Record<string, string>> },
): z.output<typeof input> {
  const { customerId, mode, page, successUrl, cancelUrl, trialDays, currency } = requested;
  const { allowPromotionCodes, automaticTax, taxIdCollection, clientReferenceId, locale } = requested;
  const { trialEndsWithoutMethod, paymentMethodCollection } = requested;
  if (successUrl === undefined) throw new Error('A page has its addresses.');
  const [first] = itemsOf(requested);
  // The routing keys win over the caller's.
  const metadata = { ...requested.metadata, teamId, projectId, customerId, ...(first && { priceId: first.priceId }) };
  return {
    mode,
    customerId: purchase.processorCustomerId,
    lines: [...purchase.recurring, ...purchase.oneTime],
    successUrl,
    automaticTax,
    ...(page !== undefined && { page }),
    ...(cancelUrl !== undefined && { cancelUrl }),
    ...(requested.oncePerCustomer && { once: { customerId, productIds: [...purchase.productIds] } }),
    ...(currency !== undefined && { currency }),
    ...(allowPromotionCodes !== undefined && { allowPromotionCodes }),
    ...(taxIdCollection !== undefined && { taxIdCollection }),
    ...(purchase.processorPromotionCodeId !== null && { promotionCodeId: purchase.processorPromotionCodeId }),
    ...(trialDays !== undefined && { trialDays }),
    ...(trialEndsWithoutMethod !== undefined && { trialEndsWithoutMethod }),
    ...(paymentMethodCollection !== undefined && { paymentMethodCollection }),
    ...(clientReferenceId !== undefined && { clientReferenceId }),
    ...(locale !== undefined && { locale }),
    metadata: Object.keys(metadata).length < ROOM_FOR_TRACE ? { ...metadata, ...trace } : metadata,
  };
}

/** Finds a session that an earlier request with the same key has created. */
async function findOpened(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  id: string,
): Promise<OpenCheckout | null> {
  const session = await em.findOne(CheckoutSession, { id, teamId, projectId });
  if (!session?.processorSessionId) return null;
  const { processorSessionId: sessionId, url, clientSecret } = session;
  return { sessionId, url, clientSecret };
}
