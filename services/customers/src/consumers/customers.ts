import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { processorEvent, type ProcessorEventData } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import { record, type Publish } from '@billing/messaging/outbox';
import { readObject } from '@billing/processor/event-object';
import { decideOnEvent, later } from '@billing/processor/event-order';
import type { CustomerSnapshot, LiveCustomerSnapshot } from '@billing/processor/port';
import { readCustomer } from '@billing/processor/snapshots/customer';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { isSameContent, toContent } from '#domain/customer.ts';
import { saveContent, saveDeleted } from '#operations/save-customer.ts';
import { waitForEmail } from '#operations/wait-for-email.ts';
import { Customer, isLinked } from '#persistence/customer.entity.ts';
import { findByProcessorId, lockCustomerRow } from '#persistence/find-customer.ts';

interface CustomerConsumerOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** What was read before the transaction opened; null for a customer that is not ours. */
interface Context {
  readonly id: CustomerId;
  readonly version: number;
  /** The customer at the processor, read where the event alone does not decide. */
  readonly fresh: CustomerSnapshot | null;
}

interface ReceivedEvent {
  readonly type: string;
  readonly teamId: string;
}

/** Follows the processor's customers that are linked here; others are created by callers only. */
export function customerEvents({ em, processors, logger, now }: CustomerConsumerOptions): Inbox {
  const waitUntilFree = waitForEmail({ em, processors, now });
  const publisher =
    (tx: EntityManager): Publish =>
    (type, teamId, state) =>
      record(tx, type, teamId, state);

  const prepare = async (data: ProcessorEventData, event: ReceivedEvent): Promise<Context | null> => {
    const scope = scopeOf(data, event);
    const snapshot = readObject(data, readCustomer);
    const customer = await findByProcessorId(em.fork(), scope, snapshot.id);
    if (!customer) {
      await waitForReservation(em.fork(), scope, snapshot);
      return null;
    }
    const { id, version } = customer;
    if (isDeletion(event) || snapshot.deleted) return { id, version, fresh: null };
    const isSame = isSameContent(customer, toContent(snapshot, scope, customer));
    const decision = decideOnEvent(customer, data.createdAt, isSame);
    if (decision === 'ignore' || decision === 'confirm') return { id, version, fresh: null };
    const fresh = decision === 'reread' ? await (await processors.of(scope.teamId)).findCustomer(snapshot.id) : null;
    const current = fresh ?? snapshot;
    if (!current.deleted)
      await waitUntilFree(scope, customer, toContent(current, scope, customer).email, data.createdAt);
    return { id, version, fresh };
  };

  const handleChange = async (
    tx: EntityManager,
    data: ProcessorEventData,
    event: { teamId: string },
    context: Context | null,
  ) => {
    const transaction = { tx, publish: publisher(tx) };
    const snapshot = readObject(data, readCustomer);
    if (!context) return logger.info({ processorCustomerId: snapshot.id }, 'unknown customer ignored');
    const scope = scopeOf(data, event);
    const customer = await lockCustomerRow(tx, scope, context.id);
    if (!isLinked(customer) || customer.deletedAt || snapshot.deleted) return;
    // The context is about the record as it was then.
    if (customer.version !== context.version) throw unavailable('The customer has changed since.');
    const received = toContent(snapshot, scope, customer);
    const decision = decideOnEvent(customer, data.createdAt, isSameContent(customer, received));
    if (decision === 'ignore') return;
    if (decision === 'reread' && !context.fresh) throw unavailable('The customer has changed since.');
    if (decision === 'reread' && context.fresh?.deleted) return saveDeleted(transaction, customer, now());
    const current =
      decision === 'reread' && isLive(context.fresh) ? toContent(context.fresh, scope, customer) : received;
    await saveContent(transaction, customer, current, now());
    if (customer.email !== current.email)
      logger.warn({ customerId: customer.id }, 'e-mail not changed, another customer of the project has it');
    customer.processorUpdatedAt = later(customer.processorUpdatedAt, data.createdAt);
    if (isSameContent(current, received)) customer.awaitsWebhook = false;
  };

  const handleDeletion = async (
    tx: EntityManager,
    data: ProcessorEventData,
    event: { teamId: string },
    context: Context | null,
  ) => {
    const customer = context && (await lockCustomerRow(tx, scopeOf(data, event), context.id));
    if (isLinked(customer) && !customer.deletedAt) await saveDeleted({ tx, publish: publisher(tx) }, customer, now());
  };

  return new Inbox(em, 'customers', logger)
    .onProcessor('customer.created', prepare, handleChange)
    .onProcessor('customer.updated', prepare, handleChange)
    .onProcessor('customer.deleted', prepare, handleDeletion);
}

/** The event of a deletion carries the whole customer, as it was before. */
const isDeletion = ({ type }: ReceivedEvent) => type === processorEvent('customer.deleted').name;

const isLive = (snapshot: CustomerSnapshot | null): snapshot is LiveCustomerSnapshot => snapshot?.deleted === false;

/** While the customer is being created here, the event waits until it has its id. */
async function waitForReservation(em: EntityManager, scope: ProjectScope, snapshot: CustomerSnapshot): Promise<void> {
  const id = CustomerId.schema.safeParse(snapshot.deleted ? undefined : snapshot.metadata['customerId']);
  if (!id.success) return;
  const { teamId, projectId } = scope;
  const reserved = await em.count(Customer, { id: id.data, teamId, projectId, processorCustomerId: null });
  if (reserved > 0) throw unavailable('The customer is being created.');
}

function scopeOf({ projectId }: ProcessorEventData, { teamId }: { teamId: string }): ProjectScope {
  return { teamId: TeamId.schema.parse(teamId), projectId };
}
