import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { checkoutCreate } from '@billing/contracts/resources/checkout';
import { isRefused, paymentFailureOf } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { collect, finalize } from '#invoicing/collect';
import { problemOfInvoice } from '#invoicing/problem-of-invoice';
import { commitInvoice } from '#money/commit-invoice';
import { findInvoiceOfOperation } from '#money/invoice-rows';
import type { Invoice } from '#money/invoice.entity';
import { readInvoiceOf, type InvoiceRead } from '#money/read-invoice';
import type { Reread } from '#record/observation.rules';
import { readWith } from '#record/read-subscription';
import { saveReads } from '#record/save-reads';
import { Subscription } from '#record/subscription.entity';
import type { Dependencies } from '../dependencies.ts';
import { expireOpenPages } from './expire-open-pages.ts';
import { auditedItems } from './resolve-purchase.ts';
import { preparedSale, prepareSale } from './prepare-sale.ts';
import { turnOfSales } from './purchase.rules.ts';

type Wanted = z.output<typeof checkoutCreate>;

/** What the operation log stores of a sale without a page. */
const input = z.object({
  wanted: checkoutCreate,
  customerId: CustomerId.schema,
  /** Null until the customer's turn has come. */
  prepared: preparedSale.nullable(),
});
type Input = z.output<typeof input>;
type Operation = RemoteOperation<Input>;

/** A subscription and its first invoice, as the processor has them. */
interface SoldAtProcessor {
  readonly reread: Reread;
  readonly invoice: InvoiceRead | null;
}

/** What was sold. */
export interface SoldAtOnce {
  readonly subscription: Subscription;
  readonly invoice: Invoice | null;
}

/**
 * Sells a subscription without a page: pages that sell the same are expired if it may be sold only once, the subscription is
 * created, and an invoice that is sent is made final and mailed. Each call has a key of its own.
 */
export function sellAtOnceKind(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>,
): OperationKind<WithAudit<Input>, SoldAtProcessor, SoldAtOnce> {
  const { now } = dependencies;
  const prepare = prepareSale(dependencies);
  const commit = commitInvoice({ now });

  const read = async (
    processor: Processor,
    { id, latestInvoiceId }: SubscriptionSnapshot,
    operation: Operation,
    em: EntityManager,
  ): Promise<SoldAtProcessor> => {
    const object = { scope: scopeOf(operation), id };
    const reread = await readWith({ processor, em, now }, object);
    const invoice =
      latestInvoiceId === null ? null : await readInvoiceOf(processor, { ...object, id: latestInvoiceId }, em);
    return { reread, invoice };
  };
  const findMade = (processor: Processor, { id, input: { prepared }, createdAt: since }: Operation) =>
    prepared && processor.findCreatedSubscription(prepared.terms.customerId, { metadata: madeBy(id), since });

  return audited<Input, SoldAtProcessor, SoldAtOnce>(
    {
      name: 'create-subscription',
      input,
      prepare: async operation => ({
        ...operation.input,
        prepared: await prepare(scopeOf(operation), operation.input.wanted),
      }),
      async send(processor, operation, em) {
        const {
          input: { wanted, prepared },
          idempotencyKey,
        } = operation;
        if (!prepared) throw new Error('The sale is sent before it is prepared.');
        const { customerId, oncePerCustomer } = wanted;
        if (oncePerCustomer) {
          const sold = { customerId, productIds: prepared.productIds };
          await expireOpenPages({ processor, em, idempotencyKey }, scopeOf(operation), sold);
        }
        const terms = { ...prepared.terms, metadata: metadataOf(operation) };
        const created = await processor.createSubscription(terms, idempotencyKey);
        await sendFirstInvoice(processor, created, operation);
        return read(processor, created, operation, em);
      },
      async findExisting(processor, operation, em) {
        const found = await findMade(processor, operation);
        if (!found) return null;
        const idempotencyKey = `${operation.idempotencyKey}:found:${operation.attempt}`;
        await sendFirstInvoice(processor, found, { ...operation, idempotencyKey });
        return read(processor, found, operation, em);
      },
      async reread(processor, operation, em) {
        const found = await findMade(processor, operation);
        if (!found) throw new Error(`The subscription of the operation ${operation.id} is gone.`);
        return read(processor, found, operation, em);
      },
      async commit(tx, operation, { reread, invoice }, publish, cause) {
        const [scope, operationKey] = [scopeOf(operation), operation.id];
        const source = { at: reread.readAt, cause };
        const { saved } = await saveReads(tx, [{ scope, reread, source, operationKey }], { publish, now: now() });
        const [subscription] = saved;
        if (!subscription) return STALE;
        if (!invoice) return { subscription, invoice: null };
        const id = invoice.snapshot.id;
        const committed = await commit(tx, { scope, id, operationKey, read: invoice }, publish, cause);
        return committed === STALE ? STALE : { subscription, invoice: committed };
      },
      cancel: async () => undefined,
    },
    { idOf: ({ subscription }) => subscription.id },
  );
}

/**
 * Creates a subscription without a page. The same operation key is the same subscription; sales to one customer take turns.
 * @throws Problem what `prepareSale` throws; 409 `already_subscribed`; 422 `payment_failed`; `processor_error` after another
 * refusal, each with nothing left behind; `unavailable` when the processor does not respond, and it may be sold later
 */
export function sellAtOnce(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'operationLog' | 'now'>) {
  const { operationLog } = dependencies;
  const kind = sellAtOnceKind(dependencies);
  return async (
    scope: ProjectScope,
    wanted: Wanted,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<SoldAtOnce> => {
    const { customerId, collect: by, trialDays, promotionCode } = wanted;
    const { teamId, projectId } = scope;
    const find = async (em: EntityManager) => {
      const subscription = await em.findOne(Subscription, { teamId, projectId, customerId, operationKey });
      if (!subscription) return null;
      const key = { subscriptionId: subscription.id, operationKey };
      return { subscription, invoice: await findInvoiceOfOperation(em, scope, key) };
    };
    // The resource is the customer: the next sale sees what this one has sold.
    const request = { resourceId: turnOfSales(customerId), operationKey, find };
    try {
      return await operationLog.perform(kind, { teamId, projectId }, request, async () => {
        const changes = changesOf(null, { collect: by, customerId, ...auditedItems(wanted), trialDays, promotionCode });
        const audit = pendingAuditOf(context, { target: { type: 'subscription', id: operationKey }, changes });
        return { wanted, customerId, prepared: null, audit };
      });
    } catch (err) {
      const failure = paymentFailureOf(err);
      if (!failure) throw problemOfInvoice(err);
      const details = { ...failure } satisfies ProblemDetails['payment_failed'];
      throw unprocessable('payment_failed', 'The payment failed, and nothing was sold.', details);
    }
  };
}

/**
 * Makes the first invoice of a subscription final and has it mailed, if its invoices are sent: the processor would an hour later.
 * What is refused is left to that, as the subscription is sold.
 */
async function sendFirstInvoice(
  processor: Processor,
  { latestInvoiceId }: SubscriptionSnapshot,
  { input: { wanted }, idempotencyKey }: Operation,
): Promise<void> {
  if (wanted.collect !== 'invoice' || latestInvoiceId === null) return;
  const how = { onFailure: 'keep', idempotencyKey } as const;
  try {
    const first = await processor.findInvoice(latestInvoiceId);
    await collect(processor, first.status === 'draft' ? await finalize(processor, first, how) : first, how);
  } catch (err) {
    if (!isRefused(err)) throw err;
  }
}

const scopeOf = ({ teamId, projectId }: ProjectScope): ProjectScope => ({ teamId, projectId });

const madeBy = (operationId: string): Record<string, string> => ({ checkoutId: operationId });

/** https://docs.stripe.com/metadata */
const MAX_METADATA_KEYS = 50;

/** The routing keys win over the caller's; the price gives way where these leave no room, as the items name it too. */
function metadataOf({ id, teamId, projectId, input: { wanted } }: Operation): Record<string, string> {
  const { customerId, metadata, priceId = wanted.items?.[0]?.priceId } = wanted;
  const all = { ...metadata, teamId, projectId, customerId, ...madeBy(id) };
  return Object.keys(all).length < MAX_METADATA_KEYS && priceId !== undefined ? { ...all, priceId } : all;
}
