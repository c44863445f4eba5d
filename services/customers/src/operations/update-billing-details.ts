import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { FindProject } from '@billing/contracts/rpc/calls';
import { notFound, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { billingDetailsUpdate, type BillingDetailsUpdate } from '@billing/contracts/resources/billing-details';
import { isRefused, isRefusedFor } from '@billing/processor/errors';
import { STALE } from '@billing/processor/operation-log/operation-kind';
import type { CustomerSnapshot, LiveCustomerSnapshot, Processor } from '@billing/processor/port';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type AuditedKind } from '@billing/service/audited-operation';
import { z } from 'zod';
import {
  billingOf,
  planBilling,
  showsDetails,
  toDetails,
  type BillingPlan,
  type BillingRefusal,
} from '#domain/billing.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { customers, ofSameLife } from '#persistence/find-customer.ts';
import type { BillingDependencies } from '../dependencies.ts';
import { saveBilling, saveDeleted } from './save-customer.ts';

const input = z.object({
  processorId: z.string(),
  processorCreatedAt: z.coerce.date().nullable(),
  wanted: billingDetailsUpdate,
  ownInvoiceFields: z.array(z.string()),
  /** The processor's ids of the tax ids that were there before; absent until that was read. */
  knownTaxIds: z.array(z.string()).exactOptional(),
  /** The record's version before the processor was read. */
  version: z.int(),
});
type Input = z.output<typeof input>;

interface Response {
  /** As it is now; a stub where the processor has deleted the customer. */
  readonly snapshot: CustomerSnapshot;
  readonly version: number;
  readonly refusal: BillingRefusal | null;
}

interface Result {
  readonly customer: LinkedCustomer;
  readonly refusal: BillingRefusal | null;
}

/** Reads a customer with its details; a stub where another one has its id by now. */
const read = async (
  processor: Processor,
  { processorId, processorCreatedAt }: Pick<Input, 'processorId' | 'processorCreatedAt'>,
): Promise<CustomerSnapshot> => ofSameLife(await processor.findBilledCustomer(processorId), processorCreatedAt);

/**
 * Changes the billing details of a customer at the processor: new tax ids first, then the fields, then those tax ids that are
 * left out, so that one that stays is never gone. What is refused in between is taken back.
 */
export function updateBillingDetailsKind({
  now,
  processors,
  rpc,
}: Pick<UpdateDependencies, 'now' | 'processors' | 'rpc'>) {
  /** Whether tax is computed for the customer, or will be: a subscription of it is taxed, or the project taxes. */
  const isTaxed = async ({ teamId, projectId }: ProjectScope, current: LiveCustomerSnapshot): Promise<boolean> =>
    current.isTaxed === true || (await rpc.call(FindProject, { teamId, projectId }))?.automaticTax === true;

  const kind: AuditedKind<Input, Response, Result> = {
    name: 'update-billing-details',
    input,
    async prepare({ teamId, input: known }) {
      // None will be made.
      if (!known.wanted.taxIds?.length) return known;
      const current = await read(await processors.of(teamId), known);
      if (current.deleted) throw notFound('customer');
      return { ...known, knownTaxIds: (current.taxIds ?? []).map(({ id }) => id) };
    },
    async send(processor, { input: known, idempotencyKey: key, ...scope }) {
      const { version, wanted, ownInvoiceFields } = known;
      const current = await read(processor, known);
      if (current.deleted) return { snapshot: current, version, refusal: null };
      const plan = planBilling(current, wanted, ownInvoiceFields);
      if ('code' in plan) return { snapshot: current, version, refusal: plan };
      const validatesLocation = (plan.changes.address ?? null) !== null && (await isTaxed(scope, current));
      const refusal = await carryOut(processor, { plan, validatesLocation, current, known, key });
      return { snapshot: await read(processor, known), version, refusal };
    },
    async findExisting(processor, { input: known, ...scope }, em) {
      const { version } = await customers.find(em, scope, scope.resourceId);
      const snapshot = await read(processor, known);
      const isDone = snapshot.deleted || showsDetails(snapshot, known.wanted, known.ownInvoiceFields);
      return isDone ? { snapshot, version, refusal: null } : null;
    },
    async commit(tx, operation, { snapshot, version, refusal }, publish, cause) {
      const customer = await customers.lock(tx, operation, operation.resourceId);
      if (refusal) return { customer, refusal };
      // An event came in between; it may carry something newer than this response.
      if (customer.version !== version) return STALE;
      const { invoiceFields } = operation.input.wanted;
      if (snapshot.deleted) saveDeleted(tx, publish, customer, { now: now(), cause });
      else {
        const ownInvoiceFields = invoiceFields?.map(({ name }) => name) ?? customer.ownInvoiceFields;
        const content = { ...billingOf(snapshot, customer), ownInvoiceFields };
        if (saveBilling(publish, customer, content, { now: now(), cause })) customer.awaitsWebhook = true;
      }
      return { customer, refusal: null };
    },
    async reread(processor, { input: known, ...scope }, em) {
      const { version } = await customers.find(em, scope, scope.resourceId);
      return { snapshot: await read(processor, known), version, refusal: null };
    },
    async cancel() {},
  };
  return audited(kind, { isRefusal: ({ customer, refusal }) => refusal !== null || customer.deletedAt !== null });
}

interface Sending {
  readonly plan: BillingPlan;
  /** Whether an address is refused where no tax can be computed. */
  readonly validatesLocation: boolean;
  readonly current: LiveCustomerSnapshot;
  readonly known: Input;
  readonly key: string;
}

/** Returns why the processor refused, after which it is as before; null when all is done. */
async function carryOut(processor: Processor, sending: Sending): Promise<BillingRefusal | null> {
  const { plan, validatesLocation, current, known, key } = sending;
  const { processorId, knownTaxIds } = known;
  // An earlier attempt may have made some; those that nobody wants here were made by others meanwhile.
  const wanted = (current.taxIds ?? []).filter(it => !plan.leftOut.includes(it)).map(({ id }) => id);
  const made = knownTaxIds ? wanted.filter(id => !knownTaxIds.includes(id)) : [];
  const takeBack = async (err: unknown) => {
    if (isRefused(err)) for (const id of made) await processor.deleteTaxId(processorId, id);
  };
  for (const { index, type, value } of plan.missing) {
    try {
      made.push((await processor.createTaxId(processorId, { type, value }, `${key}:tax-id-${index}`)).id);
    } catch (err) {
      await takeBack(err);
      if (!isRefusedFor(err, { code: 'tax_id_invalid', param: 'type' })) throw err;
      return { code: 'tax_id_invalid', details: { index } };
    }
  }
  if (Object.keys(plan.changes).length > 0) {
    try {
      await processor.updateCustomer(processorId, { billing: { ...plan.changes, validatesLocation } }, key);
    } catch (err) {
      await takeBack(err);
      if (!isRefusedFor(err, { code: 'customer_tax_location_invalid' })) throw err;
      return { code: 'tax_location_invalid', details: {} };
    }
  }
  for (const { id } of plan.leftOut) await processor.deleteTaxId(processorId, id);
  return null;
}

const MESSAGES: Readonly<Record<BillingRefusal['code'], string>> = {
  tax_id_invalid: 'The tax id is not one of its kind; nothing was changed.',
  tax_location_invalid:
    'Tax cannot be computed for this address: give its country, and the postal code where that is needed. Nothing was changed.',
  invoice_fields_full:
    'Invoices have at most four fields, and others were made at the payment processor: use fewer, or remove those there.',
};

/**
 * Changes the billing details of a customer at the processor and here; absent fields stay.
 * @throws Problem 404; 422 `tax_id_invalid`, `tax_location_invalid`, `invoice_fields_full`, with nothing changed;
 * `processor_error` after another refusal; `unavailable` when the processor or the gateway does not respond, and the change is
 * made later
 */
export function updateBillingDetails({ em, operationLog, ...dependencies }: UpdateDependencies) {
  const kind = updateBillingDetailsKind(dependencies);
  return async (
    scope: ProjectScope,
    id: CustomerId,
    wanted: BillingDetailsUpdate,
    context: AuditContext,
  ): Promise<LinkedCustomer> => {
    await customers.find(em.fork(), scope, id);
    const { customer, refusal } = await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
      const current = await customers.lock(tx, scope, id);
      const { processorId, processorCreatedAt, ownInvoiceFields, version, updatedAt } = current;
      const before = toDetails(current, updatedAt);
      const audit = pendingAuditOf(context, {
        target: { type: 'customer', id },
        changes: changesOf(before, wanted, Object.keys(wanted)),
      });
      return { processorId, processorCreatedAt, wanted, ownInvoiceFields: [...ownInvoiceFields], version, audit };
    });
    if (refusal) throw unprocessable(refusal.code, MESSAGES[refusal.code], refusal.details);
    if (customer.deletedAt) throw notFound('customer');
    return customer;
  };
}

type UpdateDependencies = Omit<BillingDependencies, 'outbox'>;
