import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProductId, ProjectScope } from '@billing/contracts/ids';
import { isRefused } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import { findOpenPages } from './purchase-history.ts';
import { outcomeOf } from './checkout.rules.ts';
import { alreadySubscribed } from './purchase.rules.ts';

/**
 * Expires a customer's open pages that sell one of some products, so that nobody pays there what is sold elsewhere now.
 * @throws Problem 409 `already_subscribed` when one was paid meanwhile
 */
export async function expireOpenPages(
  { processor, em, idempotencyKey }: { processor: Processor; em: EntityManager; idempotencyKey: string },
  scope: ProjectScope,
  sold: { readonly customerId: CustomerId; readonly productIds: readonly ProductId[] },
): Promise<void> {
  for (const id of await findOpenPages(em, scope, sold)) {
    try {
      await processor.expireCheckoutSession(id, `${idempotencyKey}:expire:${id}`);
    } catch (err) {
      if (!isRefused(err)) throw err;
      const outcome = outcomeOf(await processor.findCheckoutSession(id));
      if (outcome === 'complete' || outcome === 'processing') throw alreadySubscribed();
      if (outcome === null) throw err;
    }
  }
}
