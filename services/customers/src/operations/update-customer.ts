import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { withoutEmpty } from '@billing/processor/metadata';
import { STALE, type OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { CustomerSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { isOurs, toContent, toProcessorChanges, type CustomerChanges } from '#domain/customer.ts';
import { releaseEmails, reserveEmail, takeEmail } from '#persistence/customer-emails.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { findCustomer, lockCustomer, lockCustomerRow } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';
import { saveContent, saveDeleted } from './save-customer.ts';

const input = z.object({
  processorCustomerId: z.string(),
  changes: z.object({
    email: z.string().optional(),
    name: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  /** What the caller wants the metadata to be. */
  metadata: z.record(z.string(), z.string()).optional(),
  /** The record's version before the processor was called. */
  version: z.int(),
});

interface Observation {
  /** A stub where the processor has deleted the customer. */
  readonly snapshot: CustomerSnapshot;
  /** The record's version before the snapshot was read. */
  readonly version: number;
}

/** Changes a customer at the processor; for one that is marked as another project's, metadata is changed here only. */
export function updateCustomerKind(
  now: () => Date,
): OperationKind<z.output<typeof input>, Observation, LinkedCustomer> {
  return {
    name: 'update-customer',
    input,
    async send(processor, { input: { processorCustomerId, changes, version }, idempotencyKey, ...scope }) {
      const current = await processor.findCustomer(processorCustomerId);
      if (current.deleted) return { snapshot: current, version };
      const { metadata, ...own } = changes;
      const isShared = !isOurs(current, scope);
      const sent = isShared || metadata === undefined ? own : { ...own, metadata };
      if (Object.values(sent).every(change => change === undefined)) return { snapshot: current, version };
      // Shared or not is part of the key: the same key must not carry another request.
      const key = isShared ? `${idempotencyKey}:shared` : idempotencyKey;
      return { snapshot: await processor.updateCustomer(processorCustomerId, sent, key), version };
    },
    async commit(tx, operation, { snapshot, version }, publish) {
      const customer = await lockCustomer(tx, operation, CustomerId.schema.parse(operation.resourceId));
      // An event came in between; it may carry something newer than this response.
      if (customer.version !== version) return STALE;
      if (snapshot.deleted) saveDeleted(tx, publish, customer, { now: now() });
      else {
        const { email, name, metadata } = customer;
        const current = { email, name, metadata: operation.input.metadata ?? metadata };
        const received = toContent(snapshot, operation, current);
        // E-mails are unique here, but not at the processor.
        const isFree = await takeEmail(tx, customer, customer.id, received.email);
        const content = isFree ? received : { ...received, email: customer.email };
        if (saveContent(tx, publish, customer, { content, now: now() })) customer.awaitsWebhook = true;
      }
      await releaseEmails(tx, [customer]);
      return customer;
    },
    async reread(processor, operation, em) {
      const { version } = await findCustomer(em, operation, CustomerId.schema.parse(operation.resourceId));
      const snapshot = await processor.findCustomer(operation.input.processorCustomerId);
      return { snapshot, version };
    },
    async cancel(tx, { resourceId, ...scope }) {
      const customer = await lockCustomerRow(tx, scope, CustomerId.schema.parse(resourceId));
      if (customer && !customer.deletedAt) await releaseEmails(tx, [customer]);
    },
  };
}

/**
 * Changes a customer at the processor and here; metadata is replaced.
 * @throws Problem 404, also when the processor has deleted it; 409 `customer_email_taken`; `processor_error` after a
 * refusal, with nothing changed; `unavailable` when the processor does not respond, and the change is made later
 */
export function updateCustomer({ em, operationLog, now }: Dependencies) {
  const kind = updateCustomerKind(now);
  return async (scope: ProjectScope, id: CustomerId, changes: CustomerChanges): Promise<LinkedCustomer> => {
    const current = await findCustomer(em.fork(), scope, id);
    if (Object.values(changes).every(change => change === undefined)) return current;
    const changed = await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
      const customer = await lockCustomer(tx, scope, id);
      if (changes.email !== undefined) await reserveEmail(tx, scope, id, changes.email);
      const { processorCustomerId, version } = customer;
      const metadata = changes.metadata && { metadata: withoutEmpty(changes.metadata) };
      return { processorCustomerId, version, changes: toProcessorChanges(customer, changes), ...metadata };
    });
    if (changed.deletedAt) throw notFound('customer');
    return changed;
  };
}
