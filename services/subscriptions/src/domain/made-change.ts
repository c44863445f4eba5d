import type { SubscriptionChangeId } from '@billing/contracts/ids';
import type { PlanChangeItem } from '@billing/contracts/resources/plan-change';
import { namedChange } from '@billing/processor/metadata';
import type { PlanChange } from '@billing/processor/plan-changes';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { readManagingSchedule } from './schedule.ts';

/** How a change is known when its response is lost. */
export interface KnownBy {
  readonly changeId: SubscriptionChangeId;
  /** All that the subscription is to bill. */
  readonly items: readonly Pick<PlanChangeItem, 'processorPriceId' | 'quantity'>[];
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
  if (pendingUpdate) return hasNewInvoice && hasItems(pendingUpdate.items, change) ? 'pending' : null;
  const items = snapshot.items.map(({ price, quantity }) => ({ priceId: price.id, quantity }));
  const { items: changed = [], removedItemIds: removed = [] } = change.change;
  const isShown = hasNewInvoice || changed.length + removed.length > 0;
  return isShown && hasItems(items, change) ? 'applied' : null;
}

/** Returns the invoices of a subscription that a change has made, or has voided. */
export function invoicesOf(
  { latestInvoiceId: latest }: Pick<SubscriptionSnapshot, 'latestInvoiceId'>,
  { latestInvoiceId: before, replacesPending }: Pick<KnownBy, 'latestInvoiceId' | 'replacesPending'>,
): readonly string[] {
  const voided = replacesPending ? before : null;
  return [voided, latest === before ? null : latest].filter(id => id !== null);
}

function hasItems(
  items: readonly { readonly priceId: string | null; readonly quantity: number | null }[],
  { items: wanted }: Pick<KnownBy, 'items'>,
): boolean {
  const namesOf = (all: readonly (readonly [string | null, number])[]) =>
    all.map(([id, quantity]) => `${id ?? ''} ${quantity}`).toSorted();
  const [is, want] = [
    namesOf(items.map(({ priceId, quantity }) => [priceId, quantity ?? 1])),
    namesOf(wanted.map(({ processorPriceId, quantity }) => [processorPriceId, quantity])),
  ];
  return is.length === want.length && is.every((name, place) => name === want[place]);
}
