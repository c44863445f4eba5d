import type { ProjectScope } from '@billing/contracts/ids';
import type { PlanChangePreview } from '@billing/contracts/resources/plan-change';
import { amountsOf, entitlementChanges, linesOf } from '#domain/change-preview.ts';
import { entitlementsOf } from '#domain/customer-state.ts';
import { findCustomerRecords } from '#persistence/find-customer-records.ts';
import { findKnownPriceIds } from '#persistence/find-catalog-ids.ts';
import type { SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Dependencies } from '../dependencies.ts';
import { prepareChange, type PreparedChange, type WantedChange } from './prepare-change.ts';
import { previewInvoices } from './preview-invoices.ts';

/**
 * Previews a change of plan: what the processor says it costs, and what the customer may use afterwards. Changes nothing.
 * @throws Problem what `prepareChange` throws; `processor_error` after a refusal
 */
export function previewChange(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>) {
  const { em, processors, now } = dependencies;
  const prepare = prepareChange(dependencies);

  return async (scope: ProjectScope, key: SubscriptionKey, request: WantedChange): Promise<PlanChangePreview> => {
    const prepared = await prepare(scope, key, request);
    const processor = await processors.of(scope.teamId);
    const [{ invoice, isDue, next }, changes] = await Promise.all([
      previewInvoices(processor, prepared),
      findEntitlementChanges(scope, prepared),
    ]);
    const billed = (invoice?.lines ?? []).flatMap(({ priceId }) => priceId ?? []);
    const { direction, effectiveAt, exact, prorationDate, expiresAt, reread, subscription } = prepared;
    return {
      direction,
      effectiveAt,
      currency: reread.snapshot.currency ?? invoice?.currency ?? subscription.items[0]?.currency ?? '',
      ...amountsOf(invoice, isDue),
      lines: linesOf(invoice, await findKnownPriceIds(em.fork(), scope, billed), prepared),
      nextInvoice: next,
      prorationDate,
      exact,
      expiresAt,
      entitlementChanges: changes,
    };
  };

  /** Finds what the customer gains and loses, by the same rules as the state of the customer. */
  async function findEntitlementChanges(scope: ProjectScope, { subscription, items }: PreparedChange) {
    const { id, customerId } = subscription;
    const priceIds = items.flatMap(({ priceId }) => priceId ?? []);
    const [found] = await findCustomerRecords(em.fork(), [{ scope, id: customerId }], priceIds);
    if (!found) return [];
    const { records } = found;
    const changed = records.subscriptions.map(one => (one.id === id ? { ...one, items } : one));
    const at = now();
    return entitlementChanges(entitlementsOf(records, at), entitlementsOf({ ...records, subscriptions: changed }, at));
  }
}
