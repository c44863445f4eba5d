import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { readObject } from '@billing/processor/event-object';
import { judge, later } from '@billing/processor/event-order';
import type { CustomerSnapshot, LiveCustomerSnapshot } from '@billing/processor/port';
import { readCustomer } from '@billing/processor/snapshots/customer';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { contentOf, isSameContent } from '#domain/customer.ts';
import { remove, takeOver } from '#operations/change-customer.ts';
import { findByProcessorId, lockCustomerRow } from '#operations/find-customer.ts';
import { waitForEmail } from '#operations/wait-for-email.ts';
import { Customer, isLinked } from '#persistence/customer.entity.ts';

interface ReactionOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/** What was found out before the transaction: how things stand at the processor, where the event alone can't tell. */
interface Found {
  readonly id: CustomerId;
  readonly version: number;
  readonly fresh: CustomerSnapshot | null;
}

interface Told {
  readonly type: string;
  readonly teamId: string;
}

/** Takes over what the processor says of the customers we know; others are none of ours until somebody creates them. */
export function reactToCustomers({ em, processors, logger }: ReactionOptions): Inbox {
  const waitForFree = waitForEmail(em, processors);
  const look = async (data: ProcessorEventData, event: Told): Promise<Found | null> => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readCustomer);
    const customer = await findByProcessorId(em.fork(), scope, snapshot.id);
    if (!customer) {
      await waitForReservation(em.fork(), scope, snapshot);
      return null;
    }
    const { id, version } = customer;
    if (isRemoval(event) || snapshot.deleted) return { id, version, fresh: null };
    const judgement = judge(customer, data.createdAt, isSameContent(customer, contentOf(snapshot, scope, customer)));
    if (judgement === 'ignore' || judgement === 'confirm') return { id, version, fresh: null };
    const fresh =
      judgement === 'look-again' ? await (await processors.of(scope.teamId)).findCustomer(snapshot.id) : null;
    const told = fresh ?? snapshot;
    if (!told.deleted) await waitForFree(scope, customer, contentOf(told, scope, customer).email, data.createdAt);
    return { id, version, fresh };
  };

  const follow = async (
    tx: EntityManager,
    data: ProcessorEventData,
    event: { teamId: string },
    found: Found | null,
  ) => {
    const snapshot = readObject(data, readCustomer);
    if (!found) return logger.info({ processorCustomerId: snapshot.id }, 'customer of no project of ours, let pass');
    const scope = scopeOf(data, event);
    const customer = await lockCustomerRow(tx, scope, found.id);
    if (!isLinked(customer) || customer.deletedAt) return;
    if (snapshot.deleted) return;
    // What was found out is about the record as it was then.
    if (customer.version !== found.version) throw unavailable('The customer changed meanwhile.');
    const told = contentOf(snapshot, scope, customer);
    const judgement = judge(customer, data.createdAt, isSameContent(customer, told));
    if (judgement === 'ignore') return;
    if (judgement === 'look-again' && !found.fresh) throw unavailable('The customer changed meanwhile.');
    if (judgement === 'look-again' && found.fresh?.deleted) return remove(tx, customer, new Date());
    const truth = judgement === 'look-again' && isLive(found.fresh) ? contentOf(found.fresh, scope, customer) : told;
    await takeOver(tx, customer, truth);
    if (customer.email !== truth.email)
      logger.warn({ customerId: customer.id }, 'e-mail of another customer of the project not taken over');
    customer.processorUpdatedAt = later(customer.processorUpdatedAt, data.createdAt);
    if (isSameContent(truth, told)) customer.awaitsEcho = false;
  };

  const end = async (tx: EntityManager, data: ProcessorEventData, event: { teamId: string }, found: Found | null) => {
    const customer = found && (await lockCustomerRow(tx, scopeOf(data, event), found.id));
    if (isLinked(customer) && !customer.deletedAt) await remove(tx, customer, new Date());
  };

  return new Inbox(em, 'customers', logger)
    .onProcessor('customer.created', look, follow)
    .onProcessor('customer.updated', look, follow)
    .onProcessor('customer.deleted', look, end);
}

/** A customer that was deleted comes whole, as it was. */
const isRemoval = ({ type }: Told) => type === processorEvent('customer.deleted').name;

const isLive = (snapshot: CustomerSnapshot | null): snapshot is LiveCustomerSnapshot => snapshot?.deleted === false;

/** The customer is just being created here: the event waits until it has its id. */
async function waitForReservation(em: EntityManager, scope: ProjectScope, snapshot: CustomerSnapshot): Promise<void> {
  const id = CustomerId.schema.safeParse(snapshot.deleted ? undefined : snapshot.metadata['customerId']);
  if (!id.success) return;
  const { teamId, projectId } = scope;
  const reserved = await em.count(Customer, { id: id.data, teamId, projectId, processorCustomerId: null });
  if (reserved > 0) throw unavailable('The customer is just being created.');
}

function scopeOf({ projectId }: ProcessorEventData, { teamId }: { teamId: string }): ProjectScope {
  return { teamId: TeamId.schema.parse(teamId), projectId };
}
