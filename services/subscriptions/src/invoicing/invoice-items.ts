import { randomUUID } from 'node:crypto';
import { CustomerId, SubscriptionId, type PriceId, type ProjectScope } from '@billing/contracts/ids';
import { notFound, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { InvoiceItem, NewInvoiceLine } from '@billing/contracts/resources/invoice-create';
import { isRefused, nullIfMissing } from '@billing/processor/errors';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { InvoiceItemSnapshot } from '@billing/processor/snapshots/invoice-item';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { findKnownPriceIds } from '#copies/find-catalog-ids';
import { findSubscription } from '#record/subscription-rows';
import { requireRunning } from '#record/subscription.rules';
import type { Dependencies } from '../dependencies.ts';
import { madeBy, marksOf } from './invoice-marks.ts';
import { processorLine } from './resolve-invoice.ts';
import { resolveLines } from './resolve-lines.ts';

const newItem = z.object({
  subscriptionId: SubscriptionId.schema,
  customerId: CustomerId.schema,
  processorCustomerId: z.string(),
  processorSubscriptionId: z.string(),
  currency: z.string(),
  line: processorLine,
});
type NewItem = z.output<typeof newItem>;

/** Makes an invoice item at the processor. It has no record here. */
export const createInvoiceItemKind = (): OperationKind<WithAudit<NewItem>, InvoiceItemSnapshot, InvoiceItemSnapshot> =>
  audited<NewItem, InvoiceItemSnapshot, InvoiceItemSnapshot>({
    name: 'create-invoice-item',
    input: newItem,
    send: (processor, { id, input: { customerId, currency, line, ...object }, idempotencyKey, ...scope }) =>
      processor.createInvoiceItem(
        {
          customerId: object.processorCustomerId,
          subscriptionId: object.processorSubscriptionId,
          currency,
          line,
          metadata: marksOf(scope, customerId, id),
        },
        idempotencyKey,
      ),
    findExisting: (processor, { id, input: { processorCustomerId }, createdAt: since }) =>
      processor.findCreatedInvoiceItem(processorCustomerId, { metadata: madeBy(id), since }),
    commit: async (_tx, _operation, item) => item,
    cancel: async () => undefined,
  });

const deletedItem = z.object({ itemId: z.string() });
type DeletedItem = z.output<typeof deletedItem>;

/** Deletes an invoice item at the processor. */
export const deleteInvoiceItemKind = (): OperationKind<WithAudit<DeletedItem>, 'deleted', 'deleted'> =>
  audited<DeletedItem, 'deleted', 'deleted'>({
    name: 'delete-invoice-item',
    input: deletedItem,
    async send(processor, { input: { itemId } }) {
      await processor.deleteInvoiceItem(itemId).catch(async (err: unknown) => {
        if (isRefused(err) && (await processor.findInvoiceItem(itemId)).invoiceId !== null) throw itemBilled();
        throw err;
      });
      return 'deleted';
    },
    async findExisting(processor, { input: { itemId } }) {
      return (await processor.findInvoiceItem(itemId).catch(nullIfMissing)) ? null : 'deleted';
    },
    commit: async (_tx, _operation, deleted) => deleted,
    cancel: async () => undefined,
  });

/**
 * What the next invoice of a subscription bills once: it is at the processor alone, which adds prorations to it and takes it when
 * it makes the invoice. Each operation reads the subscription's record first.
 * @throws Problem 404 `subscription_not_found`; 409 `processor_not_connected`; `processor_error` after a refusal; `unavailable`
 * when the processor does not respond, and a write may be made later
 */
export function invoiceItems(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'operationLog'>) {
  const { em, processors, operationLog } = dependencies;
  const resolve = resolveLines(dependencies);
  const [creation, deletion] = [createInvoiceItemKind(), deleteInvoiceItemKind()];

  /** @throws Problem 422 `subscription_ended`; what `resolveLines` throws */
  async function create(
    scope: ProjectScope,
    id: SubscriptionId,
    wanted: NewInvoiceLine,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<InvoiceItem> {
    const { status, customerId, processorCustomerId, processorSubscriptionId, items } = await find(scope, id);
    requireRunning(status);
    const [first] = items;
    const { currency, lines } = await resolve(scope, [wanted], { currency: first?.currency, billedBy: 'subscription' });
    const [line] = lines;
    if (!line) throw new Error('A line that is wanted is resolved.');
    const item = await operationLog.perform(creation, scope, { resourceId: operationKey, operationKey }, async () => {
      const changes = [
        { field: 'invoiceItem', from: null, to: 'description' in wanted ? (wanted.description ?? null) : null },
      ];
      const audit = pendingAuditOf(context, { target: { type: 'subscription', id }, changes });
      return { subscriptionId: id, customerId, processorCustomerId, processorSubscriptionId, currency, line, audit };
    });
    return (await show(scope, id, [item]))[0] ?? Promise.reject(new Error('An item that was made is shown.'));
  }

  async function list(scope: ProjectScope, id: SubscriptionId): Promise<InvoiceItem[]> {
    const { processorCustomerId, processorSubscriptionId } = await find(scope, id);
    const processor = await processors.of(scope.teamId);
    return show(scope, id, await processor.listPendingItems(processorCustomerId, processorSubscriptionId));
  }

  /** @throws Problem 404 `invoice_item_not_found`; 422 `invoice_item_billed` */
  async function remove(scope: ProjectScope, id: SubscriptionId, itemId: string, context: AuditContext): Promise<void> {
    const { processorSubscriptionId } = await find(scope, id);
    const processor = await processors.of(scope.teamId);
    const item = await processor.findInvoiceItem(itemId).catch(nullIfMissing);
    if (item?.subscriptionId !== processorSubscriptionId) throw notFound('invoice_item');
    if (item.invoiceId !== null) throw itemBilled();
    await operationLog.perform(deletion, scope, { resourceId: itemId }, async () => {
      const changes = [{ field: 'invoiceItem', from: item.description, to: null }];
      return { itemId, audit: pendingAuditOf(context, { target: { type: 'subscription', id }, changes }) };
    });
  }

  const find = (scope: ProjectScope, id: SubscriptionId) => findSubscription(em.fork(), scope, { id });

  async function show(
    scope: ProjectScope,
    subscriptionId: SubscriptionId,
    items: readonly InvoiceItemSnapshot[],
  ): Promise<InvoiceItem[]> {
    const processorIds = items.flatMap(({ priceId }) => priceId ?? []);
    const priceIds = await findKnownPriceIds(em.fork(), scope, processorIds);
    return items.map(item => toResource(item, subscriptionId, priceIds));
  }

  return { create, list, remove };
}

const itemBilled = () => unprocessable('invoice_item_billed', 'The invoice item is on an invoice already.');

const toResource = (
  { id, description, amount, currency, quantity, priceId, isProration, createdAt }: InvoiceItemSnapshot,
  subscriptionId: SubscriptionId,
  priceIds: ReadonlyMap<string, PriceId>,
): InvoiceItem => ({
  id,
  subscriptionId,
  description,
  amount,
  currency,
  quantity,
  priceId: priceIds.get(priceId ?? '') ?? null,
  proration: isProration,
  createdAt,
});
