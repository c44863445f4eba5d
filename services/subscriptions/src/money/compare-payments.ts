import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ComparedObject, Comparison } from '@billing/contracts/rpc/syncs';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';
import { compareRecords } from '@billing/processor/compare-records';
import { AFTER_EVENTS } from '@billing/processor/event-order';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readInvoiceLinks, type InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import { readCharge } from '@billing/processor/snapshots/payments';
import type { CustomerReference } from '#copies/find-customers';
import { observedCharge } from './payment-observations.rules.ts';
import { mergeObservations, termsOf, type PaymentObservations } from './payment.rules.ts';
import { paymentRows } from './payment-rows.ts';

type HaveCustomers = (references: readonly Omit<CustomerReference, 'scope'>[]) => Promise<readonly boolean[]>;

/**
 * Compares charges with the payments that they belong to: what differs is what the charge as it is now would change. A
 * payment without a customer belongs to the project that its metadata names.
 */
export async function comparePayments(
  em: EntityManager,
  scope: ProjectScope,
  objects: readonly ComparedObject[],
  haveCustomers: HaveCustomers,
): Promise<Comparison[]> {
  const charges = objects.filter(isThere).map(readCharge);
  const paymentOf = new Map(charges.map(({ id, paymentIntentId }) => [id, paymentIntentId ?? id]));
  return compareRecords(objects, {
    scope,
    parse: readCharge,
    find: async wanted => {
      const idOf = ({ id }: ProjectObject): ProjectObject => ({ scope, id: paymentOf.get(id) ?? id });
      const rows = await paymentRows.find(em, wanted.map(idOf));
      return new Map(
        wanted.flatMap(object => {
          const row = rows.get(scopedKey(idOf(object)));
          return row?.status ? [[scopedKey(object), row] as const] : [];
        }),
      );
    },
    isLive: () => false,
    findParents: async read => {
      const found = await haveCustomers(
        read.map(({ customerId, metadata }) => ({ processorCustomerId: customerId ?? '', metadata })),
      );
      return read.map(({ customerId, metadata }, index) =>
        customerId === null ? metadata['projectId'] === scope.projectId : found[index] === true,
      );
    },
    differences: ({ observations }, charge) =>
      fieldDifferences(
        shown(observations),
        shown(mergeObservations(observations, observedCharge(charge, AFTER_EVENTS))),
      ),
  });
}

const shown = (observations: PaymentObservations) => ({
  ...termsOf(observations),
  processorCustomerId: observations.customerId,
});

/** Finds which of the payments that invoices name are linked to them here. */
export async function findLinks(
  em: EntityManager,
  scope: ProjectScope,
  objects: readonly ComparedObject[],
): Promise<(invoice: InvoiceSnapshot) => readonly string[]> {
  const ids = objects.filter(isThere).flatMap(object => readInvoiceLinks(object).paymentIds);
  const rows = await paymentRows.find(
    em,
    ids.map(id => ({ scope, id })),
  );
  return ({ id, paymentIds }) =>
    paymentIds.filter(payment => rows.get(scopedKey({ scope, id: payment }))?.processorInvoiceId === id);
}

const isThere = ({ deleted }: ComparedObject): boolean => deleted !== true;
