import type { EntityManager } from '@mikro-orm/postgresql';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { compareRecords } from '@billing/processor/compare-records';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import { readListedSubscription } from '@billing/processor/snapshots/subscription';
import type { z } from 'zod';
import { contentOf, isFinal } from '#domain/invoice.ts';
import { readTerms, withRecorded } from '#domain/subscription.ts';
import { recordedInvoice } from '#operations/apply-invoice-events.ts';
import { recordedState } from '#operations/save-subscriptions.ts';
import { findCustomers, type CustomerReference } from '#persistence/find-customers.ts';
import type { Invoice } from '#persistence/invoice.entity.ts';
import { invoiceRows } from '#persistence/invoice-rows.ts';
import { comparePayments, findLinks } from './compare-payments.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';

type Request = z.output<(typeof CompareObjects)['subscriptions']['request']>;

/** Compares subscriptions, invoices or payments of the processor with the project's records. */
export function compareSubscriptions(em: EntityManager) {
  return async ({ teamId, projectId, type, objects }: Request): Promise<Comparison[]> => {
    const scope = { teamId, projectId };
    const fork = em.fork();
    const haveCustomers = async (references: readonly Omit<CustomerReference, 'scope'>[]) => {
      const customers = await findCustomers(
        fork,
        references.map(it => ({ ...it, scope })),
      );
      return customers.map(it => it !== undefined);
    };
    if (type === 'payment') return comparePayments(fork, scope, objects, haveCustomers);
    if (type === 'invoice') {
      const linksOf = await findLinks(fork, scope, objects);
      return compareRecords(objects, {
        scope,
        parse: readInvoice,
        find: ids => invoiceRows.find(fork, ids),
        isLive: isLiveInvoice,
        findParents: invoices =>
          haveCustomers(
            invoices.map(({ customerId, metadata, subscriptionMetadata }) => ({
              processorCustomerId: customerId ?? '',
              metadata: { ...subscriptionMetadata, ...metadata },
            })),
          ),
        differences: (row, invoice) => [
          ...fieldDifferences(recordedInvoice(row).content, contentOf(invoice, row.status)),
          ...fieldDifferences({ payments: linksOf(invoice) }, { payments: invoice.paymentIds }),
        ],
      });
    }
    return compareRecords(objects, {
      scope,
      parse: readListedSubscription,
      find: ids => subscriptionRows.find(fork, ids),
      isLive: isLiveSubscription,
      findParents: subscriptions =>
        haveCustomers(
          subscriptions.map(({ customerId: processorCustomerId, metadata }) => ({ processorCustomerId, metadata })),
        ),
      differences: (row, subscription) => {
        const { terms: recorded } = recordedState(row);
        const observedAt = row.endedAt ?? row.updatedAt;
        // What the object lacks is read at the processor only when an event brings it; until then ours is taken.
        return fieldDifferences(recorded, readTerms(withRecorded(subscription, recorded), { observedAt, recorded }));
      },
    });
  };
}

export const isLiveSubscription = ({ status }: Subscription): boolean => !hasEnded(status);
export const isLiveInvoice = ({ status }: Invoice): boolean => !isFinal(status);
