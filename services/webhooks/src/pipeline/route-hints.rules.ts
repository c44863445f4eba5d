import { ProjectId } from '@billing/contracts/ids';

/** Kinds of Stripe's objects whose project may be known. */
export type ReferenceKind =
  | 'customer'
  | 'subscription'
  | 'product'
  | 'price'
  | 'coupon'
  | 'promotion_code'
  | 'test_clock';

/** One of Stripe's objects that an event names. */
export interface Reference<Kind = ReferenceKind> {
  readonly kind: Kind;
  /** Stripe's id. */
  readonly id: string;
}

/** The payment that a refund or dispute is about, or the invoice of an invoice's payment. */
type PaymentReference = Reference<'charge' | 'payment_intent' | 'invoice'>;

/** What an event itself says about its project. */
export interface RouteHints {
  /** Projects that the object's metadata names, the nearest first; they may be another team's. */
  readonly named: readonly ProjectId[];
  /** Stripe's objects whose project may be known, the most specific first. */
  readonly references: readonly Reference[];
  /** The customer that may name the project at Stripe. */
  readonly customerId: string | null;
  /** The payment or invoice that leads to the customer, of an object that names no customer itself. */
  readonly payment: PaymentReference | null;
  /** Whether it goes to every project that has the customer: several may share one. */
  readonly fansOut: boolean;
}

/** A field of an object; undefined for other shapes, and for fields that are missing. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** The id of a reference, which is an id or an object with one. */
function idOf(reference: unknown): string {
  const id = typeof reference === 'object' ? fieldOf(reference, 'id') : reference;
  return typeof id === 'string' ? id : '';
}

function projectOf(object: unknown): readonly ProjectId[] {
  const name = fieldOf(fieldOf(object, 'metadata'), 'projectId');
  // Most objects name none, and zod makes an error with a stack for each.
  if (name === undefined) return [];
  const named = ProjectId.schema.safeParse(name);
  return named.success ? [named.data] : [];
}

/**
 * Reads an event's hints from its type and object, in the places of every API version. Invoices name their subscription in
 * `parent.subscription_details` since 2025-03-31.
 * https://docs.stripe.com/changelog/basil/2025-03-31/adds-new-parent-field-to-invoicing-objects
 */
export function readRouteHints(type: string, object: Readonly<Record<string, unknown>>): RouteHints {
  const details = fieldOf(object['parent'], 'subscription_details');
  const own = ownKind(type);
  const idOfKind = (kind: ReferenceKind) => {
    if (own === kind) return idOf(object['id']);
    return kind === 'price' ? '' : idOf(object[kind]);
  };
  const candidates: Reference[] = [
    { kind: 'subscription', id: idOfKind('subscription') || idOf(fieldOf(details, 'subscription')) },
    ...discountOf(own, object),
    { kind: 'test_clock', id: own === 'test_clock' ? idOf(object['id']) : '' },
    { kind: 'customer', id: idOfKind('customer') },
    { kind: 'price', id: idOfKind('price') },
    { kind: 'product', id: idOfKind('product') },
  ];
  return {
    named: [object, details, object['subscription_details']].flatMap(projectOf),
    references: candidates.filter(it => it.id !== ''),
    // A customer that has just been created says itself what its metadata are.
    customerId: type === 'customer.created' ? null : idOfKind('customer') || null,
    payment: isOfPayment(type) ? paymentOf(object) : null,
    fansOut: own === 'customer' || type.startsWith('customer.tax_id.'),
  };
}

/** A coupon, or a promotion code and its coupon, which is in `promotion` since 2025-09-30. */
function discountOf(own: ReferenceKind | undefined, object: Readonly<Record<string, unknown>>): Reference[] {
  if (own !== 'coupon' && own !== 'promotion_code') return [];
  const itself = { kind: own, id: idOf(object['id']) };
  if (own === 'coupon') return [itself];
  return [itself, { kind: 'coupon', id: idOf(object['coupon']) || idOf(fieldOf(object['promotion'], 'coupon')) }];
}

const isOfPayment = (type: string): boolean => /^(charge\.dispute|charge\.refund|refund|invoice_payment)\./.test(type);

/** The charge, else the payment intent or invoice; null for none. */
function paymentOf(object: Readonly<Record<string, unknown>>): PaymentReference | null {
  const payments = (['charge', 'payment_intent', 'invoice'] as const).map(kind => ({ kind, id: idOf(object[kind]) }));
  return payments.find(({ id }) => id !== '') ?? null;
}

/** The kind of the event's own object, if other objects refer to it. */
function ownKind(type: string): ReferenceKind | undefined {
  if (type.startsWith('customer.subscription.')) return 'subscription';
  if (type.startsWith('customer.discount.') || type.startsWith('customer.tax_id.')) return undefined;
  if (type.startsWith('customer.')) return 'customer';
  if (type.startsWith('product.')) return 'product';
  if (type.startsWith('coupon.')) return 'coupon';
  if (type.startsWith('promotion_code.')) return 'promotion_code';
  if (type.startsWith('test_helpers.test_clock.')) return 'test_clock';
  return type.startsWith('price.') ? 'price' : undefined;
}
