import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readInvoice } from '@billing/processor/snapshots/invoice';
import { readSubscription, withAmounts, type SubscriptionSnapshot } from '@billing/processor/snapshots/subscription';
import type { z } from 'zod';
import { contentOf } from '#domain/invoice.ts';
import { readTerms, recordedAmount } from '#domain/subscription.ts';
import { recordedInvoice } from '#operations/apply-invoice-events.ts';
import { referenceOf } from '#operations/apply-subscription-events.ts';
import { recordedState } from '#operations/save-subscriptions.ts';
import { findCustomers } from '#persistence/find-customers.ts';
import { invoiceRows } from '#persistence/invoice-rows.ts';
import { subscriptionRows } from '#persistence/subscription-rows.ts';
import type { Subscription } from '#persistence/subscription.entity.ts';

type Request = z.output<(typeof CompareObjects)['subscriptions']['request']>;

/** Compares subscriptions or invoices of the processor with the project's records. */
export function compareSubscriptions(em: EntityManager) {
  return async ({ teamId, projectId, type, objects }: Request): Promise<Comparison[]> =>
    type === 'invoice'
      ? compareInvoices(em.fork(), { teamId, projectId }, objects)
      : compareTerms(em.fork(), { teamId, projectId }, objects);
}

async function compareTerms(em: EntityManager, scope: ProjectScope, objects: readonly unknown[]) {
  const snapshots = objects.map(readSubscription);
  const rows = await subscriptionRows.find(em, idsOf(scope, snapshots));
  const customers = await findCustomers(
    em,
    snapshots.map(snapshot => referenceOf(scope, snapshot)),
  );
  return snapshots.map((snapshot, index): Comparison => {
    const hasParent = customers[index] !== undefined;
    const row = rows.get(scopedKey({ scope, id: snapshot.id }));
    if (!row) return { outcome: 'missing', id: null, fields: [], hasParent };
    const { terms } = recordedState(row);
    const recorded = { observedAt: row.endedAt ?? row.updatedAt, recordedStatus: row.status };
    const fields = fieldDifferences(terms, readTerms(withKnownAmounts(snapshot, row), recorded));
    return { outcome: fields.length > 0 ? 'different' : 'same', id: row.id, fields, hasParent };
  });
}

/** An amount that the object lacks is read at the processor only when an event brings it; until then ours is taken. */
function withKnownAmounts(snapshot: SubscriptionSnapshot, row: Subscription): SubscriptionSnapshot {
  return withAmounts(snapshot, item => recordedAmount(row.items, item, snapshot.currency));
}

async function compareInvoices(em: EntityManager, scope: ProjectScope, objects: readonly unknown[]) {
  const snapshots = objects.map(readInvoice);
  const rows = await invoiceRows.find(em, idsOf(scope, snapshots));
  const customers = await findCustomers(
    em,
    snapshots.map(({ customerId, metadata, subscriptionMetadata }) => ({
      scope,
      processorCustomerId: customerId ?? '',
      metadata: { ...subscriptionMetadata, ...metadata },
    })),
  );
  return snapshots.map((snapshot, index): Comparison => {
    const hasParent = customers[index] !== undefined;
    const row = rows.get(scopedKey({ scope, id: snapshot.id }));
    if (!row) return { outcome: 'missing', id: null, fields: [], hasParent };
    const fields = fieldDifferences(recordedInvoice(row).content, contentOf(snapshot, row.status));
    return { outcome: fields.length > 0 ? 'different' : 'same', id: row.id, fields, hasParent };
  });
}

const idsOf = (scope: ProjectScope, snapshots: readonly { readonly id: string }[]): ProjectObject[] =>
  snapshots.map(({ id }) => ({ scope, id }));
