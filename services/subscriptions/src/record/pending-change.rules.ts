import { isDeepStrictEqual } from 'node:util';
import type { PendingChange, PlanChangeItem } from '@billing/contracts/resources/plan-change';
import { changeOfInvoice, namedChange } from '@billing/processor/metadata';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { withPayment } from '@billing/processor/snapshots/subscription';

/** What one item will bill, as the processor has it: all but our own id of its price. */
export type ChangedItem = Omit<PlanChangeItem, 'priceId'>;

/** A change that waits for its payment, as the processor has it. */
export type PendingTerms = Omit<PendingChange, 'items'> & { readonly items: readonly ChangedItem[] };

const NOT_READ = { amountDue: 0, reason: 'declined', hostedInvoiceUrl: null } as const;

/** Returns the change of a snapshot that waits for its payment. The id of one that is not marked follows from its invoice. */
export function readPendingChange(snapshot: SubscriptionSnapshot): PendingTerms | null {
  const { pendingUpdate } = snapshot;
  if (!pendingUpdate) return null;
  const { metadata, items, expiresAt, payment } = pendingUpdate;
  return {
    id: namedChange(metadata) ?? changeOfInvoice(snapshot.latestInvoiceId ?? snapshot.id),
    items: items.flatMap(({ priceId, quantity }) =>
      priceId === null ? [] : [{ processorPriceId: priceId, quantity: quantity ?? 1 }],
    ),
    ...(payment ?? NOT_READ),
    expiresAt,
  };
}

/** Returns the snapshot with what is recorded of the payment, if it shows the recorded change. */
export function withRecordedPayment(
  snapshot: SubscriptionSnapshot,
  recorded: PendingTerms | null,
): SubscriptionSnapshot {
  const shown = readPendingChange(snapshot);
  if (!shown || !recorded || snapshot.pendingUpdate?.payment) return snapshot;
  const { amountDue, reason, hostedInvoiceUrl } = recorded;
  const payment = { amountDue, reason, hostedInvoiceUrl };
  return isDeepStrictEqual({ ...shown, ...payment }, recorded) ? withPayment(snapshot, payment) : snapshot;
}
