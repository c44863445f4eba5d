import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListLiveRecords } from '@billing/contracts/rpc/syncs';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { findPage } from '@billing/database/find-page';
import type { z } from 'zod';
import { isFinal } from '#domain/invoice.ts';
import { Invoice } from '#persistence/invoice.entity.ts';
import { Subscription } from '#persistence/subscription.entity.ts';

type Request = z.output<(typeof ListLiveRecords)['subscriptions']['request']>;

/** Lists a page of a project's subscriptions that have not ended, or of its invoices that are neither paid nor void. */
export function listLiveSubscriptions(em: EntityManager) {
  return async ({ teamId, projectId, type, after, limit, processorIds }: Request) => {
    const page = { after, limit };
    if (type === 'invoice') {
      const invoices = processorIds
        ? await em.fork().find(Invoice, { teamId, projectId, processorInvoiceId: { $in: processorIds } })
        : await findPage(em.fork(), Invoice, { teamId, projectId }, page);
      const live = invoices.filter(({ status }) => !isFinal(status));
      const records = live.map(({ id, processorInvoiceId: processorId }) => ({ id, processorId }));
      return { records, next: invoices.length < limit ? null : (invoices.at(-1)?.id ?? null) };
    }
    const subscriptions = processorIds
      ? await em.fork().find(Subscription, { teamId, projectId, processorSubscriptionId: { $in: processorIds } })
      : await findPage(em.fork(), Subscription, { teamId, projectId }, page);
    const live = subscriptions.filter(({ status }) => !hasEnded(status));
    const records = live.map(({ id, processorSubscriptionId: processorId }) => ({ id, processorId }));
    return { records, next: subscriptions.length < limit ? null : (subscriptions.at(-1)?.id ?? null) };
  };
}
