import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProcessorEventData } from '@billing/contracts/processor-events';
import { scopedKey } from '@billing/database/project-objects';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import type { Publish } from '@billing/messaging/outbox';
import { readObject } from '@billing/processor/event-object';
import { readTaxId } from '@billing/processor/snapshots/customer';
import { sourceOf } from '@billing/service/event-causes';
import { withTaxIdEvent } from '#domain/billing.ts';
import { saveBilling } from '#operations/save-customer.ts';
import { customers as rows } from '#persistence/find-customer.ts';

/** Follows the tax ids of customers whose tax ids were read once; those of others are read when they are asked for. */
export function taxIdEvents({ now }: { readonly now: () => Date }): Consumer {
  const handle = async (tx: EntityManager, deliveries: readonly Delivery<ProcessorEventData>[], publish: Publish) => {
    const events = deliveries.map(delivery => {
      const { teamId, event, data } = delivery;
      const taxId = readObject(data, readTaxId);
      const scope = { teamId, projectId: data.projectId };
      const isDeletion = event.type.includes('.deleted.');
      return { taxId, isDeletion, source: sourceOf(delivery), id: { scope, id: taxId.customerId ?? '' } };
    });
    const ids = events.map(({ id }) => id);
    const customers = await rows.lockByProcessorIds(tx, ids, { deletedAt: null });
    for (const { taxId, isDeletion, source, id } of events) {
      const customer = customers.get(scopedKey(id));
      if (!customer) continue;
      if (!customer.taxIds) {
        // What is being read at this moment may be from before it.
        customer.version += 1;
        continue;
      }
      const { customerId: _customer, ...content } = taxId;
      const taxIds = withTaxIdEvent(customer.taxIds, { taxId: content, at: source.at, isDeletion });
      const { billing, taxLocation } = customer;
      if (saveBilling(publish, customer, { billing, taxIds, taxLocation }, { now: now(), ...source })) continue;
      customer.taxIds = taxIds;
    }
    return [];
  };
  return consumer('customers-tax-ids', 'processor.customer.tax_id.*.v1').onProcessorEvent(
    ['customer.tax_id.created', 'customer.tax_id.updated', 'customer.tax_id.deleted'],
    { handle },
  );
}
