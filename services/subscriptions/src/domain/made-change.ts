import type { SubscriptionChangeId } from '@billing/contracts/ids';
import { namedChange } from '@billing/processor/metadata';
import type { PlanChange } from '@billing/processor/plan-changes';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import type { ChangedItem } from './pending-change.ts';
import { itemsOf, planOf, readManagingSchedule } from './schedule.ts';

/** How a change is known when its response is lost. */
export interface KnownBy {
  readonly changeId: SubscriptionChangeId;
  /** All that the subscription is to bill. */
  readonly items: readonly ChangedItem[];
  readonly isMarked: boolean;
  /** The subscription's latest invoice before the change. */
  readonly latestInvoiceId: string | null;
  /** Whether another change waited for that invoice, and was voided. */
  readonly replacesPending: boolean;
  readonly change: Pick<PlanChange, 'items' | 'removedItemIds'>;
}

/** The most keys that metadata have. https://docs.stripe.com/api/metadata */
const MAX_KEYS = 50;

/** Returns whether a change can be named in the subscription's metadata: there is room, and the key is not the tenant's own. */
export function canBeMarked({ metadata }: Pick<SubscriptionSnapshot, 'metadata'>): boolean {
  if (Object.hasOwn(metadata, 'changeId')) return namedChange(metadata) !== undefined;
  return Object.keys(metadata).length < MAX_KEYS;
}

/**
 * Returns what became of a change: it applied, waits for its payment, or is scheduled; null when the subscription shows nothing
 * of it. It is known by its mark, which is in the metadata of the pending update while that waits, and in those of the schedule;
 * one without by its items, and by its invoice.
 */
export function outcomeOf(snapshot: SubscriptionSnapshot, change: KnownBy): 'applied' | 'pending' | 'scheduled' | null {
  if (readManagingSchedule(snapshot, null)?.change?.id === change.changeId) return 'scheduled';
  const { pendingUpdate, metadata, latestInvoiceId } = snapshot;
  if (change.isMarked) {
    if (pendingUpdate && namedChange(pendingUpdate.metadata) === change.changeId) return 'pending';
    return namedChange(metadata) === change.changeId ? 'applied' : null;
  }
  const hasNewInvoice = latestInvoiceId !== change.latestInvoiceId;
  const isWanted = (items: readonly ChangedItem[]) => planOf(items) === planOf(change.items);
  if (pendingUpdate) {
    const items = pendingUpdate.items.map(it => ({ processorPriceId: it.priceId ?? '', quantity: it.quantity ?? 1 }));
    return hasNewInvoice && isWanted(items) ? 'pending' : null;
  }
  const { items: changed = [], removedItemIds: removed = [] } = change.change;
  const isShown = hasNewInvoice || changed.length + removed.length > 0;
  return isShown && isWanted(itemsOf(snapshot)) ? 'applied' : null;
}

/** Returns the invoices of a subscription that a change has made, or has voided. */
export function invoicesOf(
  { latestInvoiceId: latest }: Pick<SubscriptionSnapshot, 'latestInvoiceId'>,
  { latestInvoiceId: before, replacesPending }: Pick<KnownBy, 'latestInvoiceId' | 'replacesPending'>,
): readonly string[] {
  const voided = replacesPending ? before : null;
  return [voided, latest === before ? null : latest].filter(id => id !== null);
}
