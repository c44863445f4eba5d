import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import type { customerCreate } from '@billing/contracts/resources/customer';
import type { Journal } from '@billing/processor/journal/write-journal';
import type { WriteKind } from '@billing/processor/journal/write-kind';
import { withoutEmpty } from '@billing/processor/metadata';
import type { LiveCustomerSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { chooseExisting, contentOf, isOurs, routingOf } from '#domain/customer.ts';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { recordCreated } from './change-customer.ts';
import { findCustomer, lockCustomerRow } from './find-customer.ts';
import { finishAbandoned } from './finish-abandoned.ts';
import { releaseEmails, reserveEmail } from './reserve-email.ts';

const input = z.object({
  email: z.string(),
  name: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
});
type Input = z.output<typeof input>;
type Asked = z.output<typeof customerCreate>;

/**
 * Creates a customer at the processor, or links to one that is there with the same e-mail; until then its row here is
 * reserved and seen by nobody.
 */
export function createCustomerWrite(em: EntityManager): WriteKind<Input, LiveCustomerSnapshot, LinkedCustomer> {
  return {
    name: 'create-customer',
    input,
    async send(processor, { input: asked, resourceId, idempotencyKey, ...scope }) {
      const id = CustomerId.schema.parse(resourceId);
      const candidates = await processor.listCustomersByEmail(asked.email);
      const held = await idsInUse(
        em.fork(),
        scope,
        candidates.map(it => it.id),
      );
      const existing = chooseExisting(
        candidates.filter(it => !held.has(it.id)),
        scope,
        id,
      );
      const metadata = { ...asked.metadata, ...routingOf(scope, id) };
      if (!existing) return processor.createCustomer({ ...asked, metadata }, idempotencyKey);
      if (!isOurs(existing, scope)) return existing;
      // A later attempt may find another one: each has a key of its own.
      const key = `${idempotencyKey}:link:${existing.id}`;
      return processor.updateCustomer(existing.id, { name: asked.name, metadata }, key);
    },
    async commit(tx, write, snapshot) {
      const customer = await lockCustomerRow(tx, write, CustomerId.schema.parse(write.resourceId));
      if (!customer) throw unavailable('The customer is no longer reserved.');
      const { name, metadata } = contentOf(snapshot, write, customer);
      tx.assign(customer, { name: name ?? customer.name, metadata, processorCustomerId: snapshot.id });
      if (!isLinked(customer)) throw new Error('The processor gave the customer no id.');
      recordCreated(tx, customer);
      return customer;
    },
    async cancel(tx, { resourceId, ...scope }) {
      const { teamId, projectId } = scope;
      const id = CustomerId.schema.parse(resourceId);
      await releaseEmails(tx, scope, id, null);
      await tx.nativeDelete(Customer, { id, teamId, projectId, processorCustomerId: null });
    },
  };
}

/** Those of the processor's customers that live ones of the project are linked to already: each belongs to one. */
async function idsInUse(em: EntityManager, { teamId, projectId }: ProjectScope, ids: string[]): Promise<Set<string>> {
  const linked = await em.find(Customer, { teamId, projectId, deletedAt: null, processorCustomerId: { $in: ids } });
  return new Set(linked.flatMap(customer => customer.processorCustomerId ?? []));
}

/**
 * Creates a customer here, and at the processor unless one with this e-mail is there to link to. The same `requestKey`
 * within a day gives the same customer, and so does the same request after one that was left unfinished.
 * @throws Problem 409 `customer_email_taken`; `processor_error` after a refusal, with nothing left behind;
 * `unavailable` when the processor does not answer, and the customer appears later
 */
export function createCustomer(em: EntityManager, journal: Journal) {
  const write = createCustomerWrite(em);
  const reserve = async (tx: EntityManager, scope: ProjectScope, id: CustomerId, asked: Asked): Promise<Input> => {
    const { email, name, metadata } = asked;
    await reserveEmail(tx, scope, id, email);
    const kept = withoutEmpty(metadata);
    const now = new Date();
    tx.create(Customer, {
      ...scope,
      id,
      email,
      name: name ?? null,
      metadata: kept,
      processorCustomerId: null,
      processorUpdatedAt: null,
      awaitsEcho: true,
      version: 1,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
    return { email, ...(name !== undefined && { name }), metadata: kept };
  };

  return async (scope: ProjectScope, asked: Asked, requestKey: string | null): Promise<LinkedCustomer> => {
    const before = await journal.findRequested(scope, write, requestKey);
    if (before) return findCustomer(em.fork(), scope, CustomerId.schema.parse(before));
    const id = CustomerId.create();
    try {
      return await journal.perform(write, scope, { resourceId: id, requestKey }, tx => reserve(tx, scope, id, asked));
    } catch (err) {
      if (!(err instanceof Problem) || err.code !== 'customer_email_taken') throw err;
      const finished = await finishAbandoned(em, journal, scope, asked);
      if (!finished) throw err;
      return finished;
    }
  };
}
