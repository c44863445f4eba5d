import { isDeepStrictEqual } from 'node:util';
import type { BillingDetailsState } from '@billing/contracts/events/billing-details';
import type { CustomerId, ProjectId } from '@billing/contracts/ids';
import {
  MAX_INVOICE_FIELDS,
  NO_DETAILS,
  PURCHASE_ORDER_FIELD,
  taxIdKey,
  type BillingDetails,
  type BillingDetailsUpdate,
} from '@billing/contracts/resources/billing-details';
import type { FieldDifference } from '@billing/contracts/resources/sync';
import { fieldDifferences } from '@billing/processor/field-differences';
import type { BillingChanges, BillingSnapshot, LiveCustomerSnapshot, TaxIdSnapshot } from '@billing/processor/port';

/** A tax id as it is recorded. One that was deleted stays without its value, so that no late event brings it back. */
export interface TaxIdRecord extends TaxIdSnapshot {
  /** When the newest event happened that it includes, in milliseconds since 1970; 0 for what was only read. */
  readonly at: number;
  readonly isDeleted: boolean;
}

/** The billing details of a customer, as the processor has them. */
export interface BillingContent {
  /** Null until it was seen once. */
  readonly billing: BillingSnapshot | null;
  /** Null until they were read: events of customers do not have them. */
  readonly taxIds: readonly TaxIdRecord[] | null;
  readonly taxLocation: BillingDetails['taxLocation'];
}

export const UNSEEN_BILLING: BillingContent = { billing: null, taxIds: null, taxLocation: 'unknown' };

/** The tax ids that the customer has. */
export const liveTaxIds = (records: readonly TaxIdRecord[] | null): readonly TaxIdRecord[] =>
  (records ?? []).filter(({ isDeleted }) => !isDeleted);

/**
 * Returns the billing details of a customer that was read, or that an event brought. Tax ids and location stay where the
 * snapshot has none, but an address that has changed is to be recognized anew. `readAt` is when the processor had it so, in
 * milliseconds; without it the snapshot is the newest there is.
 */
export function billingOf(
  { billing, taxIds, taxLocation }: LiveCustomerSnapshot,
  current: BillingContent,
  readAt = Infinity,
): BillingContent {
  const isSameAddress = isDeepStrictEqual(billing.address, current.billing?.address ?? null);
  return {
    billing,
    taxIds: taxIds ? withReadTaxIds(current.taxIds ?? [], taxIds, readAt) : current.taxIds,
    taxLocation: taxLocation ?? (isSameAddress ? current.taxLocation : 'unknown'),
  };
}

/** Returns whether an event brings another address: it does not say whether the customer can be taxed there. */
export const hasMoved = (
  { billing: { address }, taxLocation }: LiveCustomerSnapshot,
  current: BillingContent,
): boolean => taxLocation === null && address !== null && !isDeepStrictEqual(address, current.billing?.address ?? null);

function withReadTaxIds(
  records: readonly TaxIdRecord[],
  read: readonly TaxIdSnapshot[],
  readAt: number,
): TaxIdRecord[] {
  const known = new Map(records.map(record => [record.id, record]));
  const found = read.map(taxId => {
    const before = known.get(taxId.id);
    return before?.isDeleted ? before : { ...newerOf(before, taxId), at: before?.at ?? 0, isDeleted: false };
  });
  const ids = new Set(read.map(({ id }) => id));
  const missing = records.filter(({ id }) => !ids.has(id));
  const gone = missing.map(record => (record.at < readAt ? { ...record, value: '', isDeleted: true } : record));
  return [...gone, ...found];
}

/** A register says something once: what comes late, from before that, is not newer. */
const newerOf = (before: TaxIdRecord | undefined, taxId: TaxIdSnapshot): TaxIdSnapshot =>
  before && before.verification !== 'pending' && taxId.verification === 'pending' ? before : taxId;

interface TaxIdEvent {
  readonly taxId: TaxIdSnapshot;
  readonly at: Date;
  readonly isDeletion: boolean;
}

/** Returns the tax ids with an event about one of them, whatever the order in which events come. */
export function withTaxIdEvent(
  records: readonly TaxIdRecord[],
  { taxId, at, isDeletion }: TaxIdEvent,
): readonly TaxIdRecord[] {
  const before = records.find(({ id }) => id === taxId.id);
  if (before?.isDeleted) return records;
  const isOlder = before !== undefined && at.getTime() < before.at;
  if (isOlder && !isDeletion) return records;
  const newest = Math.max(at.getTime(), before?.at ?? 0);
  const state = { ...newerOf(before, taxId), at: newest, isDeleted: isDeletion };
  const after = isDeletion ? { ...state, value: '' } : state;
  return before ? records.map(record => (record === before ? after : record)) : [...records, after];
}

/** Returns whether two customers have the same billing details, as far as they were seen. */
export const isSameBilling = (one: BillingContent, other: BillingContent): boolean =>
  isDeepStrictEqual(one.billing, other.billing) &&
  isDeepStrictEqual(one.taxIds && shownTaxIds(one.taxIds), other.taxIds && shownTaxIds(other.taxIds)) &&
  one.taxLocation === other.taxLocation;

const shownTaxIds = (records: readonly TaxIdRecord[] | null): BillingDetails['taxIds'] =>
  liveTaxIds(records)
    .map(({ type, value, verification }) => ({ type, value, verification }))
    .toSorted((a, b) => (taxIdKey(a) < taxIdKey(b) ? -1 : 1));

/**
 * Returns which billing details differ from what the processor has, as far as they were seen; findings do not have their
 * values, which are personal.
 */
export function billingDifferences(ours: BillingContent, theirs: BillingContent): FieldDifference[] {
  const visible = ({ billing, taxIds, taxLocation }: BillingContent) => {
    const isSeen = taxLocation !== 'unknown' && ours.taxLocation !== 'unknown';
    return { ...(billing ?? NO_BILLING), taxIds: shownTaxIds(taxIds), ...(isSeen && { taxLocation }) };
  };
  return fieldDifferences(visible(ours), visible(theirs)).map(({ field }) => ({ field, ours: null, theirs: null }));
}

/** What a customer has of which nothing was set. */
const { taxIds: _taxIds, purchaseOrder: _order, taxLocation: _location, ...NO_BILLING } = NO_DETAILS;

interface BilledCustomer extends BillingContent {
  readonly id: CustomerId;
  readonly projectId: ProjectId;
  /** The names of the invoice fields that were made here. */
  readonly ownInvoiceFields: readonly string[];
}

/** Returns the billing details as callers and events have them. */
export function toDetails(customer: BilledCustomer, updatedAt: Date): BillingDetailsState {
  const { id: customerId, projectId, billing, taxIds, taxLocation, ownInvoiceFields } = customer;
  const { invoiceFields = [], ...seen } = billing ?? {};
  return {
    ...NO_DETAILS,
    ...seen,
    customerId,
    projectId,
    taxIds: shownTaxIds(taxIds),
    purchaseOrder: invoiceFields.find(({ name }) => name === PURCHASE_ORDER_FIELD)?.value ?? null,
    invoiceFields: invoiceFields.filter(({ name }) => ownInvoiceFields.includes(name)).map(field => ({ ...field })),
    taxLocation,
    updatedAt,
  };
}

/** Why a change is refused. */
export interface BillingRefusal {
  readonly code: 'tax_id_invalid' | 'tax_location_invalid' | 'invoice_fields_full';
  readonly details: Readonly<Record<string, number>>;
}

/** What has to be done so that the processor has the wanted details. */
export interface BillingPlan {
  /** To create first, with their places in the request. */
  readonly missing: readonly { readonly index: number; readonly type: string; readonly value: string }[];
  readonly changes: BillingChanges;
  /** To delete at last. */
  readonly leftOut: readonly TaxIdSnapshot[];
}

/**
 * Plans a change of billing details from what the processor has: fields that are as wanted are not sent, and fields of
 * invoices that others made stay.
 */
export function planBilling(
  current: Pick<LiveCustomerSnapshot, 'billing' | 'taxIds'>,
  wanted: BillingDetailsUpdate,
  ownFields: readonly string[],
): BillingPlan | BillingRefusal {
  const { taxIds: wantedIds, purchaseOrder, invoiceFields: wantedFields, ...plain } = wanted;
  const had = current.taxIds ?? [];
  const hadKeys = new Set(had.map(taxIdKey));
  const wantedKeys = new Set(wantedIds?.map(taxIdKey));
  const fields = current.billing.invoiceFields;
  const order = purchaseOrder === undefined ? fields.find(isOrder)?.value : purchaseOrder;
  const own = wantedFields ?? fields.filter(({ name }) => ownFields.includes(name));
  const ownNames = new Set([...own.map(({ name }) => name), ...(wantedFields ? ownFields : [])]);
  const others = fields.filter(field => !isOrder(field) && !ownNames.has(field.name));
  const invoiceFields = [...(order ? [{ name: PURCHASE_ORDER_FIELD, value: order }] : []), ...own, ...others];
  if (invoiceFields.length > MAX_INVOICE_FIELDS)
    return { code: 'invoice_fields_full', details: { left: MAX_INVOICE_FIELDS - others.length } };
  const after = { ...plain, invoiceFields };
  const changes = Object.entries(after).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(value, Reflect.get(current.billing, name)),
  );
  return {
    missing: (wantedIds ?? []).flatMap((id, index) => (hadKeys.has(taxIdKey(id)) ? [] : [{ index, ...id }])),
    changes: Object.fromEntries(changes),
    leftOut: wantedIds ? had.filter(id => !wantedKeys.has(taxIdKey(id))) : [],
  };
}

const isOrder = ({ name }: { readonly name: string }): boolean => name === PURCHASE_ORDER_FIELD;

/** Returns whether the processor has the wanted details. */
export function showsDetails(
  current: Pick<LiveCustomerSnapshot, 'billing' | 'taxIds'>,
  wanted: BillingDetailsUpdate,
  ownFields: readonly string[],
): boolean {
  const plan = planBilling(current, wanted, ownFields);
  return (
    !('code' in plan) && [plan.missing, plan.leftOut, Object.keys(plan.changes)].every(({ length }) => length === 0)
  );
}
