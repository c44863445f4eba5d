import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import type { EventCause } from '@billing/contracts/resources/event';
import { notFound } from '@billing/contracts/problem';
import type { Publish } from '@billing/messaging/outbox';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { writeMarks } from '@billing/processor/marks';
import { withoutEmpty } from '@billing/processor/metadata';
import { STALE, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { CustomerSnapshot, Processor } from '@billing/processor/port';
import { showsChanges } from '@billing/processor/shows-changes';
import { changesOf, recordUnchanged } from '@billing/service/audit';
import { audited, pendingAuditOf, type AuditedKind } from '@billing/service/audited-operation';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { z } from 'zod';
import {
  atProcessor,
  isOurs,
  PERSONAL_FIELDS,
  toContent,
  toProcessorChanges,
  withoutExternalId,
  type CustomerChanges,
} from '#domain/customer.ts';
import { openEmails, releaseIdentifiers, reserveIdentifiers, takeEmail } from '#persistence/customer-identifiers.ts';
import type { Customer, LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers, ofSameLife } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveContent, saveDeleted } from './save-customer.ts';
import { settleEmails } from './settle-emails.ts';

const input = z.object({
  processorId: z.string(),
  changes: z.object({
    email: z.string().optional(),
    name: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  /** What the caller wants the metadata to be. */
  metadata: z.record(z.string(), z.string()).optional(),
  /** What the caller wants the external id to be; null clears it. */
  externalId: z.string().nullable().optional(),
  /** When the processor created the customer; absent where that is not known. */
  processorCreatedAt: z.coerce.date().nullable().exactOptional(),
  /** The record's version before the processor was called. */
  version: z.int(),
});

type Input = z.output<typeof input>;

/** What the processor returned. */
interface Reread {
  /** A stub where the processor has deleted the customer. */
  readonly snapshot: CustomerSnapshot;
  /** The record's version before the snapshot was read. */
  readonly version: number;
}

/** Changes a customer at the processor; for one that is marked as another project's, metadata is changed here only. */
export function updateCustomerKind(now: () => Date) {
  /** Reads the customer; a stub where another one has its id by now. */
  const read = async (processor: Processor, { processorId, processorCreatedAt = null }: Input) =>
    ofSameLife(await processor.findCustomer(processorId), processorCreatedAt);
  const reread = async (processor: Processor, operation: RemoteOperation<Input>, em: EntityManager) => {
    const { version } = await customers.find(em, operation, operation.resourceId);
    return { snapshot: await read(processor, operation.input), version };
  };
  const settle = async (tx: EntityManager, publish: Publish, customer: Customer, cause: EventCause) => {
    const released = await releaseIdentifiers(tx, [customer]);
    await settleEmails(tx, publish, [...released, ...openEmails(customer)], { now: now(), cause });
  };
  const kind: AuditedKind<Input, Reread, LinkedCustomer> = {
    name: 'update-customer',
    input,
    async send(processor, { input: wanted, idempotencyKey, ...scope }) {
      const { processorId, changes, version } = wanted;
      const current = await read(processor, wanted);
      if (current.deleted) return { snapshot: current, version };
      const isShared = !isOurs(current, scope);
      const sent = isShared ? { ...changes, metadata: undefined } : changes;
      if (Object.values(sent).every(change => change === undefined)) return { snapshot: current, version };
      // Shared or not is part of the key: the same key must not carry another request.
      const key = isShared ? `${idempotencyKey}:shared` : idempotencyKey;
      const write = () => processor.updateCustomer(processorId, sent, key);
      const rest = withoutExternalId(sent);
      const writeRest = () => (rest ? processor.updateCustomer(processorId, rest, `${key}:unmarked`) : current);
      const snapshot = rest === sent ? await write() : await writeMarks(write, async () => writeRest());
      return { snapshot, version };
    },
    async commit(tx, operation, { snapshot, version }, publish, cause) {
      const customer = await customers.lock(tx, operation, operation.resourceId);
      // An event came in between; it may carry something newer than this response.
      if (customer.version !== version) return STALE;
      if (snapshot.deleted) saveDeleted(tx, publish, customer, { now: now(), cause });
      else {
        const { metadata = customer.metadata, externalId = customer.externalId } = operation.input;
        const received = toContent(snapshot, operation, {
          ...atProcessor(customer),
          email: customer.email,
          externalId,
          metadata,
        });
        // E-mails are unique here, but not at the processor.
        const isFree = await takeEmail(tx, customer, customer.id, received.email);
        const content = isFree ? received : { ...received, email: customer.email };
        if (saveContent(tx, publish, customer, { content, now: now(), cause })) customer.awaitsWebhook = true;
        customer.wantedEmail = isFree ? null : received.email;
      }
      await settle(tx, publish, customer, cause);
      return customer;
    },
    reread,
    async findExisting(processor, operation, em) {
      const current = await reread(processor, operation, em);
      const { snapshot } = current;
      if (snapshot.deleted) return current;
      const { changes } = operation.input;
      const sent = isOurs(snapshot, operation) ? changes : { ...changes, metadata: undefined };
      return showsChanges(snapshot, sent) ? current : null;
    },
    async cancel(tx, { resourceId, ...scope }, _error, publish) {
      const customer = await customers.lockRow(tx, scope, resourceId);
      if (customer && !customer.deletedAt) await settle(tx, publish, customer, CAUSED_BY_SYSTEM);
    },
  };
  return audited(kind, { isRefusal: ({ deletedAt }) => deletedAt !== null });
}

/**
 * Changes a customer at the processor and here; metadata is replaced.
 * @throws Problem 404, also when the processor has deleted it; 409 `customer_email_taken`, `customer_external_id_taken`;
 * `processor_error` after a refusal, with nothing changed; `unavailable` when the processor does not respond, and the change is made later
 */
export function updateCustomer({
  em,
  outbox,
  operationLog,
  now,
}: Pick<Dependencies, 'em' | 'outbox' | 'operationLog' | 'now'>) {
  const kind = updateCustomerKind(now);
  return async (
    scope: ProjectScope,
    id: CustomerId,
    changes: CustomerChanges,
    context: AuditContext,
  ): Promise<LinkedCustomer> => {
    const current = await customers.find(em.fork(), scope, id);
    const target = { type: 'customer', id } as const;
    if (Object.values(changes).every(change => change === undefined)) {
      await recordUnchanged(outbox, scope.teamId, context, target);
      return current;
    }
    const changed = await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
      const customer = await customers.lock(tx, scope, id);
      await reserveIdentifiers(tx, scope, id, changes);
      const { processorId, processorCreatedAt, version } = customer;
      const { metadata, externalId } = changes;
      const wanted = { ...changes, ...(metadata && { metadata: withoutEmpty(metadata) }) };
      const audit = pendingAuditOf(context, { target, changes: changesOf(customer, wanted, PERSONAL_FIELDS) });
      return {
        processorId,
        processorCreatedAt,
        version,
        changes: toProcessorChanges(customer, changes),
        ...(metadata && { metadata: withoutEmpty(metadata) }),
        ...(externalId !== undefined && { externalId }),
        audit,
      };
    });
    if (changed.deletedAt) throw notFound('customer');
    return changed;
  };
}
