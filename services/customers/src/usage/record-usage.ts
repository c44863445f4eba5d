import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { UsageEvent as GivenEvent } from '@billing/contracts/resources/usage';
import type { Outbox } from '@billing/messaging/outbox';
import { changesOf, recordAudit } from '@billing/service/audit';
import { isMirrored } from '@billing/service/mirrored-rows';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { findOwners } from '#persistence/customer-identifiers.ts';
import { UsageEvent } from './usage-event.entity.ts';
import { insertEvents } from './usage-rows.ts';
import { sortOut, type Known } from './usage.rules.ts';

interface Parts {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly now: () => Date;
  /** Runs when events have been accepted. */
  readonly onAccepted: () => void;
}

/**
 * Records usage that is to be sent, all of it or none.
 * @throws Problem 404 for an unknown customer; 409 `usage_id_taken`; 422 `usage_in_future`, `usage_too_old`
 */
export function recordUsage({ em, outbox, now, onAccepted }: Parts) {
  return async (
    scope: ProjectScope,
    events: readonly GivenEvent[],
    context: AuditContext,
  ): Promise<{ accepted: number; duplicates: number }> => {
    const fork = em.fork();
    const customers = await findCustomers(fork, scope, events);
    const known = { ...customers, nowOf: nowOf(customers.byId, now) };
    const fresh = sortOut(events, { ...known, recorded: await findRecorded(fork, scope, events) });
    const accepted = await outbox.transaction(async (tx, publish) => {
      const inserted = fresh.length === 0 ? new Set() : await insertEvents(tx, scope, fresh, now());
      // Another request has recorded these meanwhile.
      const others = fresh.filter(({ id }) => !inserted.has(id)).map(({ id }) => id);
      const again = events.filter(({ id }) => others.includes(id));
      if (again.length > 0) sortOut(again, { ...known, recorded: await findRecorded(tx, scope, again) });
      const counts = { accepted: inserted.size, duplicates: events.length - inserted.size };
      const target = { type: 'project', id: scope.projectId } as const;
      recordAudit(publish, scope.teamId, context, { target, changes: changesOf(null, counts) });
      return counts;
    });
    if (accepted.accepted > 0) onAccepted();
    return accepted;
  };
}

const nowOf =
  (customers: ReadonlyMap<CustomerId, LinkedCustomer>, now: () => Date): Known['nowOf'] =>
  id => {
    const customer = customers.get(id);
    if (!customer) throw new Error('The customer of an event was not found.');
    return customer.testClockNow ?? now();
  };

/** Finds the customers that events name. */
async function findCustomers(em: EntityManager, scope: ProjectScope, events: readonly GivenEvent[]) {
  const { teamId, projectId } = scope;
  const values = [...new Set(events.flatMap(({ externalId }) => externalId ?? []))];
  const owners = await findOwners(em, scope, { kind: 'external-id', values });
  const ids = new Set([...events.flatMap(({ customerId }) => customerId ?? []), ...owners.values()]);
  const rows = await em.find(Customer, { teamId, projectId, id: { $in: [...ids] }, deletedAt: null });
  const byId = new Map(rows.filter(isMirrored).map(row => [row.id, row]));
  const customerOf: Known['customerOf'] = ({ customerId, externalId = '' }) => {
    const id = customerId ?? owners.get(externalId);
    return id !== undefined && byId.has(id) ? id : undefined;
  };
  return { byId, customerOf };
}

async function findRecorded(em: EntityManager, scope: ProjectScope, events: readonly GivenEvent[]) {
  const { teamId, projectId } = scope;
  const ids = [...new Set(events.map(({ id }) => id))];
  const rows = await em.find(UsageEvent, { teamId, projectId, id: { $in: ids } }, { disableIdentityMap: true });
  return new Map(rows.map(row => [row.id, row]));
}
