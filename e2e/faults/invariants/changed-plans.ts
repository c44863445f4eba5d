import { expect } from 'vitest';
import { declineCard, listFromProcessor, newSubscription, type Tenant } from '../../system/tenant.ts';

/** What a subscription is to become, and how. */
export interface WantedChange {
  readonly id: string;
  readonly processorSubscriptionId: string;
  readonly body: { readonly priceId?: string; readonly quantity: number; readonly when?: 'period_end' };
  readonly declines: boolean;
}

interface ProcessorInvoice {
  readonly id: string;
  readonly status: string;
  readonly billing_reason: string;
}

/** Creates subscriptions to `priceId`, one for each change: to another quantity, to `otherPriceId`, later, or with a card that declines. */
export function newWantedChanges(tenant: Tenant, count: number, priceId: string, otherPriceId: string) {
  return Promise.all(
    Array.from({ length: count }, async (_, index): Promise<WantedChange> => {
      const { id, processorSubscriptionId } = await newSubscription(tenant, priceId);
      const declines = index % 4 === 3;
      if (declines) await declineCard(tenant, { processorSubscriptionId });
      const more = [{}, { priceId: otherPriceId }, { when: 'period_end' as const }, {}][index % 4];
      return { id, processorSubscriptionId, body: { quantity: 2 + index, ...more }, declines };
    }),
  );
}

/**
 * Expects of each change that it was made once: the subscription is the processor's, one invoice was made for what counts
 * now, and one schedule or pending update for what does not.
 */
export async function expectChangedOnce(
  tenant: Tenant,
  changes: readonly WantedChange[],
  priceId: string,
): Promise<void> {
  const { billing, callProcessor } = tenant;
  for (const { id, processorSubscriptionId, body, declines } of changes) {
    const shown = await billing.subscriptions.get(id);
    const there = await callProcessor(`/v1/subscriptions/${processorSubscriptionId}`);
    const invoices = await listFromProcessor<ProcessorInvoice>(tenant, '/v1/invoices', {
      subscription: processorSubscriptionId,
    });
    const isLater = body.when !== undefined;
    const wanted = [{ priceId: body.priceId ?? priceId, quantity: body.quantity }];
    const summary = {
      items: planOf(shown),
      atProcessor: there.items.data.map((it: Item) => [it.price.id, it.quantity]),
      later: planOf(shown.scheduledChange),
      pending: planOf(shown.pendingChange),
      hasSchedule: there.schedule !== null,
      isPending: there.pending_update !== null,
      invoices: invoices.filter(it => it.billing_reason === 'subscription_update').map(it => it.status),
      recorded: (await Array.fromAsync(billing.invoices.list({ subscriptionId: id }))).length,
    };
    const asBefore = isLater || declines;
    expect(summary, id).toEqual({
      items: asBefore ? [{ priceId, quantity: 1 }] : wanted,
      atProcessor: shown.items.map(it => [it.processorPriceId, it.quantity]),
      later: isLater ? wanted : null,
      pending: declines ? wanted : null,
      hasSchedule: isLater,
      isPending: declines,
      invoices: isLater ? [] : [declines ? 'open' : 'paid'],
      recorded: invoices.length,
    });
  }
}

/** The prices and quantities of a subscription, or of what it changes to. */
const planOf = (billed: { readonly items: readonly { priceId: string | null; quantity: number }[] } | null) =>
  billed && billed.items.map(({ priceId, quantity }) => ({ priceId, quantity }));

interface Item {
  readonly price: { readonly id: string };
  readonly quantity: number;
}
