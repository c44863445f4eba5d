import type { EntityManager } from '@mikro-orm/postgresql';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import type { FieldDifference } from '@billing/contracts/resources/sync';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { findHeldElsewhere } from '@billing/database/held-elsewhere';
import { compareRecords } from '@billing/processor/compare-records';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import { readListedSubscription } from '@billing/processor/snapshots/subscription';
import type { z } from 'zod';
import { contentOf, isFinal } from '#money/invoice.rules';
import { recordedInvoice } from '#money/apply-invoice-events';
import { findCustomers, type CustomerReference } from '#copies/find-customers';
import type { Invoice } from '#money/invoice.entity';
import { invoiceRows } from '#money/invoice-rows';
import { comparePayments, findLinks } from '#money/compare-payments';
import { readTerms, withRecorded } from './subscription.rules.ts';
import { recordedState } from './recorded-state.ts';
import { subscriptionRows } from './subscription-rows.ts';
import type { Subscription } from './subscription.entity.ts';

type Request = z.output<(typeof CompareObjects)['subscriptions']['request']>;

const HELD = { table: 'subscriptions', column: 'processor_subscription_id', isLive: 'true' };

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
          ...fieldDifferences(recordedInvoice(row).content, contentOf(invoice, row)).map(withoutValues),
          ...fieldDifferences({ payments: linksOf(invoice) }, { payments: invoice.paymentIds }),
        ],
      });
    }
    return compareRecords(objects, {
      scope,
      parse: readListedSubscription,
      find: ids => subscriptionRows.find(fork, ids),
      findHeld: ids => findHeldElsewhere(fork, HELD, scope, ids),
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

/** Fields of invoices of which findings do not have the values: they are personal, or long. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['customerTaxIds', 'purchaseOrder', 'lines']);
const withoutValues = (it: FieldDifference): FieldDifference =>
  NOT_SHOWN.has(it.field) ? { ...it, ours: null, theirs: null } : it;

export const isLiveSubscription = ({ status }: Subscription): boolean => !hasEnded(status);
export const isLiveInvoice = ({ status }: Invoice): boolean => !isFinal(status);
