import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { findPage } from '@billing/database/find-page';
import { toLiveRecords } from '@billing/processor/compare-records';
import type { z } from 'zod';
import { Invoice } from '#persistence/invoice.entity.ts';
import { Subscription } from '#persistence/subscription.entity.ts';
import { isLiveInvoice, isLiveSubscription } from './compare-subscriptions.ts';

type Request = z.output<(typeof ListLiveRecords)['subscriptions']['request']>;

/**
 * Lists a page of a project's subscriptions that have not ended, or of its invoices that are neither paid nor void. No payment
 * is ever gone at the processor.
 */
export function listLiveSubscriptions(em: EntityManager) {
  return async ({ teamId, projectId, type, after, limit }: Request) => {
    const [scope, page] = [
      { teamId, projectId },
      { after, limit },
    ];
    if (type === 'payment') return { records: [], next: null };
    return type === 'invoice'
      ? toLiveRecords(await findPage(em.fork(), Invoice, scope, page), limit, it =>
          isLiveInvoice(it) ? it.processorInvoiceId : null,
        )
      : toLiveRecords(await findPage(em.fork(), Subscription, scope, page), limit, it =>
          isLiveSubscription(it) ? it.processorSubscriptionId : null,
        );
  };
}
