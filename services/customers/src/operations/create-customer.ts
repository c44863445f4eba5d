import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import type { customerCreate } from '@billing/contracts/resources/customer';
import { withoutEmpty } from '@billing/processor/metadata';
import { derivedId } from '@billing/processor/operation-log/derived-id';
import type { OperationKind } from '@billing/processor/operation-log/operation-kind';
import type { LiveCustomerSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { chooseExisting, isOurs, routingMetadata, toContent } from '#domain/customer.ts';
import { reserveEmail } from '#persistence/customer-emails.ts';
import { CustomerEmail } from '#persistence/customer-email.entity.ts';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { findCreatedCustomer, lockCustomerRow } from '#persistence/find-customer.ts';
import type { Dependencies } from '../dependencies.ts';
import { finishSameRequest } from './finish-same-request.ts';
import { publishCreated } from './save-customer.ts';

const input = z.object({
  email: z.string(),
  name: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
});
type Input = z.output<typeof input>;

/**
 * Creates a customer at the processor, or links to one that has the same e-mail there; until then its row is only
 * reserved and not shown.
 */
export const createCustomerKind: OperationKind<Input, LiveCustomerSnapshot, LinkedCustomer> = {
  name: 'create-customer',
  input,
  async send(processor, { input: wanted, resourceId, idempotencyKey, ...scope }, em) {
    const id = CustomerId.schema.parse(resourceId);
    const candidates = await processor.listCustomersByEmail(wanted.email);
    const processorIds = candidates.map(candidate => candidate.id);
    const linked = await findLinked(em, scope, processorIds);
    const free = candidates.filter(candidate => !linked.has(candidate.id));
    const existing = chooseExisting(free, scope, id);
    const metadata = { ...wanted.metadata, ...routingMetadata(scope, id) };
    if (!existing) return processor.createCustomer({ ...wanted, metadata }, idempotencyKey);
    if (!isOurs(existing, scope)) return existing;
    // A later attempt may find another customer: each has a key of its own.
    const key = `${idempotencyKey}:link:${existing.id}`;
    return processor.updateCustomer(existing.id, { name: wanted.name, metadata }, key);
  },
  async commit(tx, operation, snapshot, publish) {
    const customer = await lockCustomerRow(tx, operation, CustomerId.schema.parse(operation.resourceId));
    if (!customer) throw unavailable('The customer is no longer reserved.');
    const { name, metadata } = toContent(snapshot, operation, customer);
    tx.assign(customer, { name: name ?? customer.name, metadata, processorCustomerId: snapshot.id });
    if (!isLinked(customer)) throw new Error('The processor gave the customer no id.');
    publishCreated(publish, customer);
    return customer;
  },
  async cancel(tx, { resourceId, teamId, projectId }) {
    const id = CustomerId.schema.parse(resourceId);
    await tx.nativeDelete(CustomerEmail, { teamId, projectId, customerId: id });
    await tx.nativeDelete(Customer, { id, teamId, projectId, processorCustomerId: null });
  },
};

/** Returns those of the processor's customers that a live customer of the project is linked to. */
async function findLinked(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorIds: string[],
): Promise<ReadonlySet<string>> {
  const where = { teamId, projectId, deletedAt: null, processorCustomerId: { $in: processorIds } };
  const linked = await em.find(Customer, where);
  return new Set(linked.flatMap(customer => customer.processorCustomerId ?? []));
}

/**
 * Creates a customer here, and at the processor unless one with this e-mail is there to link to. The same operation key
 * gives the same customer, and so does the same request after one that was left unfinished.
 * @throws Problem 409 `customer_email_taken`; `processor_error` after a refusal, with nothing left behind;
 * `unavailable` when the processor does not respond, and the customer appears later
 */
export function createCustomer(dependencies: Dependencies) {
  const { operationLog, now } = dependencies;
  const finish = finishSameRequest(dependencies);

  return async (
    scope: ProjectScope,
    wanted: z.output<typeof customerCreate>,
    operationKey: string = randomUUID(),
  ): Promise<LinkedCustomer> => {
    const id = derivedId(CustomerId, operationKey, 'customer');
    const reserve = async (tx: EntityManager): Promise<Input> => {
      const { email, name } = wanted;
      await reserveEmail(tx, scope, id, email);
      const metadata = withoutEmpty(wanted.metadata);
      const createdAt = now();
      tx.create(Customer, {
        ...scope,
        id,
        email,
        name: name ?? null,
        metadata,
        processorCustomerId: null,
        processorUpdatedAt: null,
        awaitsWebhook: true,
        version: 1,
        createdAt,
        updatedAt: createdAt,
        deletedAt: null,
      });
      return { email, ...(name !== undefined && { name }), metadata };
    };
    const request = {
      resourceId: id,
      operationKey,
      find: (em: EntityManager) => findCreatedCustomer(em, scope, id),
    };
    try {
      return await operationLog.perform(createCustomerKind, scope, request, reserve);
    } catch (err) {
      if (!(err instanceof Problem) || err.code !== 'customer_email_taken') throw err;
      const finished = await finish(scope, wanted);
      if (!finished) throw err;
      return finished;
    }
  };
}
