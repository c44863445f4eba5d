import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { listPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { Invoice } from '#money/invoice.entity';
import { Subscription } from './subscription.entity.ts';
import { isLiveInvoice, isLiveSubscription } from './compare-subscriptions.ts';

type Request = z.output<(typeof ListLiveRecords)['subscriptions']['request']>;

/**
 * Lists a page of a project's subscriptions that have not ended, or of its invoices that are neither paid nor void; the
 * processor's lists leave out what lives on test clocks. No payment
 * is ever gone at the processor.
 */
export function listLiveSubscriptions(em: EntityManager) {
  return async ({ type, ...page }: Request) => {
    if (type === 'payment') return { records: [], next: null };
    return type === 'invoice'
      ? listPage(em.fork(), Invoice, page, it =>
          isLiveInvoice(it) && it.testClockId === null ? { id: it.id, processorId: it.processorInvoiceId } : null,
        )
      : listPage(em.fork(), Subscription, page, it =>
          isLiveSubscription(it) && it.testClockId === null
            ? { id: it.id, processorId: it.processorSubscriptionId }
            : null,
        );
  };
}
