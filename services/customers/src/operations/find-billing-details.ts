import type { BillingDetails } from '@billing/contracts/resources/billing-details';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { billingOf, toDetails } from '#domain/billing.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers, ofSameLife } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveBilling } from './save-customer.ts';

/** Returns billing details as callers see them. */
export function toResource(customer: LinkedCustomer): BillingDetails {
  const { projectId: _project, ...details } = toDetails(customer, customer.billingUpdatedAt ?? customer.createdAt);
  return details;
}

/**
 * Finds the billing details of a customer. What no event has told yet, as tax ids from before the customer was linked, is read at
 * the processor once, and recorded.
 * @throws Problem 404; `unavailable` when something is to be read and the processor does not respond
 */
export function findBillingDetails({ em, outbox, processors, now }: FindDependencies) {
  return async (scope: ProjectScope, id: CustomerId): Promise<LinkedCustomer> => {
    const customer = await customers.find(em.fork(), scope, id);
    const { billing, taxIds, taxLocation, processorCreatedAt, version } = customer;
    if (billing && taxIds && taxLocation !== 'unknown') return customer;
    const processor = await processors.of(scope.teamId);
    const snapshot = ofSameLife(await processor.findBilledCustomer(customer.processorId), processorCreatedAt);
    if (snapshot.deleted) return customer;
    return outbox.transaction(async (tx, publish) => {
      const current = await customers.lock(tx, scope, id);
      // What came in between may be newer than what was read; it is read again when it is asked for again.
      const change = { now: now(), cause: CAUSED_BY_SYSTEM };
      if (current.version === version) saveBilling(publish, current, billingOf(snapshot, current), change);
      return current;
    });
  };
}

type FindDependencies = Pick<Dependencies, 'em' | 'outbox' | 'now'> & { readonly processors: TeamProcessors };
