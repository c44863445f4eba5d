import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { UNSEEN_BILLING } from '#domain/billing.ts';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { Problem, unavailable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { customerCreate } from '@billing/contracts/resources/customer';
import { canonicalEmail } from '@billing/contracts/text';
import { withoutEmpty, writableMarks } from '@billing/processor/metadata';
import { missingOrThrow } from '@billing/processor/errors';
import { writeMarks } from '@billing/processor/marks';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { derivedId } from '@billing/service/derived-id';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { LiveCustomerSnapshot } from '@billing/processor/port';
import { z } from 'zod';
import { isOurs, ownMetadata, PERSONAL_FIELDS, toContent } from '#domain/customer.ts';
import { CustomerIdentifier } from '#persistence/customer-identifier.entity.ts';
import { reserveIdentifiers } from '#persistence/customer-identifiers.ts';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers } from '#persistence/find-customer.ts';
import { lockEmailsOfTeam } from '#persistence/held-elsewhere.ts';
import { lockForCustomer, testClocks } from '#test-clocks/clock-rows.ts';
import { requireTestMode } from '#test-clocks/create-test-clock.ts';
import type { Dependencies } from '../dependencies.ts';
import { findExisting, listCandidates } from './find-existing.ts';
import { finishSameRequest } from './finish-same-request.ts';
import { publishCreated } from './save-customer.ts';
import { settleEmails } from './settle-emails.ts';

const input = z.object({
  /** Trimmed and lower-cased. */
  email: z.string(),
  /** In the caller's spelling, if that is another. */
  emailAsGiven: z.string().optional(),
  name: z.string().optional(),
  externalId: z.string().optional(),
  metadata: z.record(z.string(), z.string()),
  /** The processor's id of the test clock that it is to live on. */
  processorTestClockId: z.string().optional(),
});
type Input = z.output<typeof input>;

/** The processor's customer that a new one is linked to. */
interface Counterpart {
  readonly snapshot: LiveCustomerSnapshot;
  /** It was found at the processor, so it may have subscriptions and invoices. */
  readonly isExisting: boolean;
}

/**
 * Creates a customer at the processor, or links to one that has the same e-mail there; until then its row is only
 * reserved and not shown.
 */
export const createCustomerKind = audited<Input, Counterpart, LinkedCustomer>(
  {
    name: 'create-customer',
    input,
    async send(processor, { input: wanted, resourceId, idempotencyKey, ...scope }, em) {
      const id = CustomerId.schema.parse(resourceId);
      const { email, name, externalId = null, processorTestClockId: testClockId } = wanted;
      const existing = testClockId
        ? undefined
        : await findExisting(processor, em, { scope, id, spellings: spellingsOf(wanted) });
      const metadata = { ...wanted.metadata, ...ownMetadata(scope, { id, externalId }) };
      if (!existing)
        return {
          snapshot: await processor.createCustomer({ email, name, metadata, testClockId }, idempotencyKey),
          isExisting: false,
        };
      if (!isOurs(existing, scope)) return { snapshot: existing, isExisting: true };
      // A later attempt may find another customer: each has a key of its own.
      const key = `${idempotencyKey}:link:${existing.id}`;
      const write = (keys: Input['metadata'], suffix: string) => () =>
        processor.updateCustomer(existing.id, { name, metadata: writableMarks(keys, existing.metadata) }, key + suffix);
      const asFound = async () => existing;
      const unmarked = write(wanted.metadata, ':unmarked');
      // A name completes the customer where that is possible; metadata is the caller's to write or to leave out.
      const complete = Object.keys(wanted.metadata).length > 0 ? unmarked : () => writeMarks(unmarked, asFound);
      const linked = await writeMarks(write(metadata, ''), complete).catch(missingOrThrow);
      if (linked === 'missing') throw unavailable('The customer to link was just deleted at the processor.');
      return { snapshot: linked, isExisting: true };
    },
    async findExisting(processor, { resourceId, input: wanted }) {
      const { processorTestClockId: clockId } = wanted;
      const candidates = clockId
        ? await processor.listCustomersOnTestClock(clockId)
        : await listCandidates(processor, spellingsOf(wanted));
      const snapshot = candidates.find(({ metadata }) => metadata['customerId'] === resourceId);
      return snapshot ? { snapshot, isExisting: !clockId } : null;
    },
    async commit(tx, operation, { snapshot, isExisting: linkedToExisting }, publish, cause) {
      const customer = await customers.lockRow(tx, operation, operation.resourceId);
      if (!customer) throw unavailable('The customer is no longer reserved.');
      const clock = customer.testClockId && (await testClocks.find(tx, operation, customer.testClockId));
      const { email: _email, externalId: _id, name, taxIds, ...rest } = toContent(snapshot, operation, customer);
      // What was just made has none; one that was there before may have some.
      const found = { ...rest, name: name ?? customer.name, taxIds: linkedToExisting ? taxIds : [] };
      tx.assign(customer, {
        ...found,
        processorId: snapshot.id,
        processorCreatedAt: snapshot.createdAt,
        linkedToExisting,
        ...(clock && { testClockNow: clock.time }),
      });
      if (!isMirrored(customer)) throw new Error('The processor gave the customer no id.');
      publishCreated(publish, customer, { now: customer.createdAt, cause });
      return customer;
    },
    async cancel(tx, { resourceId, teamId, projectId, input: { email } }, _error, publish) {
      const id = CustomerId.schema.parse(resourceId);
      await tx.nativeDelete(CustomerIdentifier, { teamId, projectId, customerId: id });
      await customers.deleteReserved(tx, { teamId, projectId }, id);
      await settleEmails(tx, publish, [{ teamId, projectId, value: email }], {
        now: new Date(),
        cause: CAUSED_BY_SYSTEM,
      });
    },
  },
  { isCreation: true },
);

/** The processor's list by e-mail distinguishes case. */
const spellingsOf = ({ email, emailAsGiven = email }: Input): string[] => [email, emailAsGiven];

/**
 * Creates a customer here, and at the processor unless one with this e-mail is there to link to. What such a customer was
 * billed before is recorded when this resolves, unless the subscriptions service is down: then it follows. The same
 * operation key gives the same customer, and so does the same request after one that was left unfinished.
 * @throws Problem 409 `customer_email_taken`, `customer_external_id_taken`; `processor_error` after a refusal, with nothing
 * left behind; `unavailable` when the processor does not respond, and the customer appears later
 */
export function createCustomer(dependencies: Dependencies) {
  const { operationLog, processors, takeInBilling, now } = dependencies;
  const finish = finishSameRequest(dependencies);

  return async (
    scope: ProjectScope,
    wanted: z.output<typeof customerCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<LinkedCustomer> => {
    const id = derivedId(CustomerId, operationKey, 'customer');
    const { email: emailAsGiven, name, externalId, testClockId = null } = wanted;
    const email = canonicalEmail(emailAsGiven);
    if (testClockId !== null) requireTestMode(await processors.of(scope.teamId));
    const reserve = async (tx: EntityManager): Promise<WithAudit<Input>> => {
      const clock = testClockId && (await lockForCustomer(tx, scope, testClockId));
      await reserveIdentifiers(tx, scope, id, { email, externalId });
      await lockEmailsOfTeam(tx, scope.teamId, [email]);
      const metadata = withoutEmpty(wanted.metadata);
      const createdAt = now();
      tx.create(Customer, {
        ...scope,
        id,
        email,
        wantedEmail: null,
        name: name ?? null,
        externalId: externalId ?? null,
        metadata,
        processorId: null,
        processorCreatedAt: null,
        linkedToExisting: false,
        testClockId,
        testClockNow: clock ? clock.time : null,
        balance: null,
        discountId: null,
        ...UNSEEN_BILLING,
        ownInvoiceFields: [],
        billingSequence: 0,
        billingUpdatedAt: null,
        processorUpdatedAt: null,
        awaitsWebhook: true,
        version: 1,
        createdAt,
        updatedAt: createdAt,
        sequence: 0,
        deletedAt: null,
      });
      const fields = {
        email,
        name,
        externalId,
        ...(Object.keys(metadata).length > 0 && { metadata }),
        ...(testClockId && { testClockId }),
      };
      const changes = changesOf(null, fields, PERSONAL_FIELDS);
      const audit = pendingAuditOf(context, { target: { type: 'customer', id }, changes });
      const onClock = clock && { processorTestClockId: clock.processorId };
      return { email, emailAsGiven, name, externalId, metadata, ...onClock, audit };
    };
    const request = {
      resourceId: id,
      operationKey,
      find: (em: EntityManager) => customers.findCreated(em, scope, id),
    };
    const create = async (): Promise<LinkedCustomer> => {
      try {
        return await operationLog.perform(createCustomerKind, scope, request, reserve);
      } catch (err) {
        if (!(err instanceof Problem) || err.code !== 'customer_email_taken') throw err;
        const finished = await finish(scope, { ...wanted, email });
        if (!finished) throw err;
        return finished;
      }
    };
    const customer = await create();
    if (customer.linkedToExisting) await takeInBilling(customer);
    return customer;
  };
}
