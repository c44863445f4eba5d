import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import { DAYS_UNTIL_DUE, invoiceCreate, type InvoiceCreate } from '@billing/contracts/resources/invoice-create';
import type { NewInvoice } from '@billing/processor/invoicing';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor } from '@billing/processor/port';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { commitInvoice } from '#money/commit-invoice';
import { findInvoiceMadeFor } from '#money/invoice-rows';
import { readInvoiceOf } from '#money/read-invoice';
import type { Dependencies } from '../dependencies.ts';
import { collect, finalize, type Collected } from './collect.ts';
import { makeDraft, orDelete } from './draft.ts';
import { madeBy, markOfFailure, marksOf } from './invoice-marks.ts';
import { preparedInvoice, prepareInvoice, type PreparedInvoice } from './prepare-invoice.ts';
import { problemOfInvoice } from './problem-of-invoice.ts';
import { toOutcome, type CollectedInvoice } from './collected-invoice.ts';

/** What the operation log stores of a new invoice. */
const input = z.object({
  wanted: withPriceIds(invoiceCreate),
  customerId: CustomerId.schema,
  /** Null until it is prepared. */
  resolved: preparedInvoice.nullable(),
});
type Input = z.output<typeof input>;
type Operation = RemoteOperation<Input>;

/** An invoice as an operation left it, and the version of its record when it was read. */
type Made = Collected & { readonly version: number };
/** Until an event tells of it, it has no record. */
const NEW = { failure: null, version: 0 };

/**
 * Makes an invoice beside subscriptions in up to five calls: a draft, its lines, then it is made final, and charged or mailed.
 * Killed or unanswered after any of them, the same calls under the same keys find and finish it. When a call failed in a way that
 * says nothing, what is there is searched for: a draft is deleted, and anything else finished.
 */
export function createInvoiceKind(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>,
): OperationKind<WithAudit<Input>, Made, CollectedInvoice> {
  const prepare = prepareInvoice(dependencies);
  const commit = commitInvoice(dependencies);
  return audited<Input, Made, CollectedInvoice>(
    {
      name: 'create-invoice',
      input,
      prepare: async operation => ({
        ...operation.input,
        resolved: await prepare(scopeOf(operation), operation.input.wanted),
      }),
      async send(processor, operation) {
        const { wanted, resolved } = operation.input;
        if (!resolved) throw new Error('The invoice is sent before it is prepared.');
        const invoice = toNewInvoice(operation, resolved);
        const { idempotencyKey } = operation;
        const { lines } = resolved;
        const { expectedAmountDue } = wanted;
        const draft = await makeDraft(processor, { invoice, lines, expectedAmountDue }, idempotencyKey);
        if (wanted.draft) return { ...NEW, snapshot: draft };
        const how = { onFailure: onFailureIn(wanted), idempotencyKey };
        const final = await orDelete(processor, draft.id, () => finalize(processor, draft, how));
        return { ...NEW, ...(await collect(processor, final, how)) };
      },
      async findExisting(processor, operation) {
        const found = await findMade(processor, operation);
        if (!found) return null;
        const { wanted, resolved } = operation.input;
        const isWhole = wanted.draft && found.lines.length === resolved?.lines.length;
        if (found.status === 'draft' && !isWhole) {
          await processor.deleteDraft(found.id);
          return null;
        }
        // Under the keys of the calls that failed the processor would repeat that.
        const idempotencyKey = `${operation.idempotencyKey}:found:${operation.attempt}`;
        return { ...NEW, ...(await collect(processor, found, { onFailure: onFailureIn(wanted), idempotencyKey })) };
      },
      async reread(processor, operation, em) {
        const found = await findMade(processor, operation);
        if (!found) throw new Error(`The invoice of the operation ${operation.id} is gone.`);
        const read = await readInvoiceOf(processor, { scope: scopeOf(operation), id: found.id }, em);
        return { ...read, failure: null };
      },
      async commit(tx, operation, { failure, ...read }, publish, cause) {
        const object = { scope: scopeOf(operation), id: read.snapshot.id };
        const invoice = await commit(tx, { ...object, operationKey: operation.id, read }, publish, cause);
        return invoice === STALE ? STALE : { invoice, failure };
      },
      cancel: async () => undefined,
    },
    { idOf: ({ invoice }) => invoice.id },
  );
}

/**
 * Bills something once: charges it to the saved payment method, or has an invoice mailed; or makes a draft. The same operation
 * key is the same invoice.
 * @throws Problem what `resolveInvoice` throws; 422 `payment_method_missing`, `total_negative`, `invoice_fields_full`,
 * `tax_location_invalid`; 409 `amount_changed`, `processor_not_connected`; `processor_error` after another refusal, each with
 * nothing billed and no draft left; 422 `payment_failed` with the invoice voided; `unavailable` when the processor does not
 * respond, and it may be billed later
 */
export function createInvoice(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'operationLog' | 'now'>) {
  const { operationLog } = dependencies;
  const kind = createInvoiceKind(dependencies);
  return async (
    scope: ProjectScope,
    wanted: InvoiceCreate,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<CollectedInvoice> => {
    const { customerId, currency, collect: by, draft } = wanted;
    const find = async (em: EntityManager) => {
      const invoice = await findInvoiceMadeFor(em, scope, { customerId, operationKey });
      return invoice && { invoice, failure: null };
    };
    try {
      const request = { resourceId: operationKey, operationKey, find };
      return toOutcome(
        await operationLog.perform(kind, scope, request, async () => {
          const changes = changesOf(null, { customerId, currency, collect: by, draft });
          const audit = pendingAuditOf(context, { target: { type: 'invoice', id: operationKey }, changes });
          return { wanted, customerId, resolved: null, audit };
        }),
      );
    } catch (err) {
      throw problemOfInvoice(err);
    }
  };
}

const onFailureIn = ({ onFailure = 'void' }: InvoiceCreate) => onFailure;

const scopeOf = ({ teamId, projectId }: ProjectScope): ProjectScope => ({ teamId, projectId });

/** Finds the invoice that an operation made, whatever has become of it. */
async function findMade(processor: Processor, { id, input: { resolved }, createdAt: since }: Operation) {
  if (!resolved) return null;
  return processor.findCreatedInvoice(resolved.terms.customerId, { metadata: madeBy(id), since });
}

function toNewInvoice({ id, input: { wanted }, ...scope }: Operation, resolved: PreparedInvoice): NewInvoice {
  const { customerId, collect: by, daysUntilDue = DAYS_UNTIL_DUE, memo, footer } = wanted;
  return {
    ...resolved.terms,
    ...(by === 'invoice' && { daysUntilDue }),
    paymentMethodId: resolved.paymentMethodId,
    invoiceFields: resolved.invoiceFields,
    memo,
    footer,
    metadata: { ...marksOf(scope, customerId, id), ...(by === 'saved' && markOfFailure(onFailureIn(wanted))) },
  };
}
