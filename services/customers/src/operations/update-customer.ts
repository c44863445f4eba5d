import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { Journal } from '@billing/processor/journal/write-journal';
import { OUTDATED, type WriteKind } from '@billing/processor/journal/write-kind';
import { withoutEmpty } from '@billing/processor/metadata';
import type { CustomerSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { changesAtProcessor, contentOf, isOurs, type CustomerChanges } from '#domain/customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { remove, takeOver } from './change-customer.ts';
import { findCustomer, lockCustomer, lockCustomerRow } from './find-customer.ts';
import { releaseEmails, reserveEmail } from './reserve-email.ts';

const input = z.object({
  processorCustomerId: z.string(),
  changes: z.object({
    email: z.string().optional(),
    name: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  /** What the caller wants the metadata to be. */
  metadata: z.record(z.string(), z.string()).optional(),
  /** The record's version when the processor was asked. */
  version: z.int(),
});

interface Answer {
  /** A stub where the processor has deleted the customer. */
  readonly snapshot: CustomerSnapshot;
  readonly version: number;
}

/** Changes a customer at the processor; the metadata of one that is marked as another project's is changed here only. */
export const updateCustomerWrite: WriteKind<z.output<typeof input>, Answer, LinkedCustomer> = {
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
  async commit(tx, write, { snapshot, version }) {
    const customer = await lockCustomer(tx, write, CustomerId.schema.parse(write.resourceId));
    // An event came in between: it may tell of something newer than this answer.
    if (customer.version !== version) return OUTDATED;
    if (snapshot.deleted) {
      await remove(tx, customer, new Date());
      return customer;
    }
    const { email, name, metadata } = customer;
    const current = { email, name, metadata: write.input.metadata ?? metadata };
    if (await takeOver(tx, customer, contentOf(snapshot, write, current))) customer.awaitsEcho = true;
    return customer;
  },
  async lookAgain(processor, write, em) {
    const { version } = await findCustomer(em, write, CustomerId.schema.parse(write.resourceId));
    const snapshot = await processor.findCustomer(write.input.processorCustomerId);
    return { snapshot, version };
  },
  async cancel(tx, { resourceId, ...scope }) {
    const customer = await lockCustomerRow(tx, scope, CustomerId.schema.parse(resourceId));
    if (customer && !customer.deletedAt) await releaseEmails(tx, scope, customer.id, customer.email);
  },
};

/**
 * Changes a customer at the processor and here; metadata replaces what there was.
 * @throws Problem 404, also when the processor has deleted it; 409 `customer_email_taken`; `processor_error` after a refusal, with nothing changed;
 * `unavailable` when the processor does not answer, and the change is made later
 */
export function updateCustomer(em: EntityManager, journal: Journal) {
  return async (scope: ProjectScope, id: CustomerId, changes: CustomerChanges): Promise<LinkedCustomer> => {
    const current = await findCustomer(em.fork(), scope, id);
    if (Object.values(changes).every(change => change === undefined)) return current;
    const changed = await journal.perform(updateCustomerWrite, scope, { resourceId: id }, async tx => {
      const customer = await lockCustomer(tx, scope, id);
      if (changes.email !== undefined) await reserveEmail(tx, scope, id, changes.email);
      const { processorCustomerId, version } = customer;
      const wanted = changes.metadata && { metadata: withoutEmpty(changes.metadata) };
      return { processorCustomerId, version, changes: changesAtProcessor(customer, changes), ...wanted };
    });
    if (changed.deletedAt) throw notFound('customer');
    return changed;
  };
}
