/** The types of events for tenants, by what they are about. */
const TYPES_OF = {
  customer: ['customer.created', 'customer.updated', 'customer.deleted'],
  customer_state: ['customer.state_changed'],
  customer_billing_details: ['customer.billing_details_updated'],
  product: ['product.created', 'product.updated', 'product.deleted'],
  price: ['price.created', 'price.updated', 'price.deleted'],
  subscription: ['subscription.created', 'subscription.updated', 'subscription.canceled', 'subscription.trial_ending'],
  invoice: [
    'invoice.created',
    'invoice.updated',
    'invoice.finalized',
    'invoice.paid',
    'invoice.voided',
    'invoice.uncollectible',
  ],
  payment: [
    'payment.succeeded',
    'payment.failed',
    'payment.refunded',
    'payment.disputed',
    'payment.dispute_won',
    'payment.dispute_lost',
    'payment.updated',
  ],
  referral: ['referral.created', 'referral.converted'],
  referral_code: ['referral_code.created', 'referral_code.deactivated'],
  referral_credit: ['referral_credit.credited', 'referral_credit.failed'],
  usage: ['usage.rejected'],
  webhook_endpoint: ['webhook_endpoint.disabled'],
} as const;

/** What an event for tenants is about. */
export type EventObjectType = keyof typeof TYPES_OF;
/** The types of events about each of them. */
export type EventTypesOf = { readonly [ObjectType in EventObjectType]: (typeof TYPES_OF)[ObjectType][number] };
export type PublicEventType = EventTypesOf[EventObjectType];

export const EVENT_OBJECT_TYPES = Object.keys(TYPES_OF) as EventObjectType[]; // its own keys
export const EVENT_TYPES: readonly PublicEventType[] = Object.values(TYPES_OF).flat();

type Family = PublicEventType extends `${infer Begin}.${string}` ? `${Begin}.*` : never;
const FAMILIES = [...new Set(EVENT_TYPES.map(type => `${type.slice(0, type.indexOf('.'))}.*` as Family))]; // its own type's

/** How types are chosen: exactly, all that begin alike (`invoice.*`), or all. */
export const TYPE_CHOICES = ['*', ...FAMILIES, ...EVENT_TYPES] as const;
export type TypeChoice = (typeof TYPE_CHOICES)[number];

/** Types whose name does not begin with what they are about. */
const OBJECTS: Readonly<Partial<Record<PublicEventType, EventObjectType>>> = {
  'customer.state_changed': 'customer_state',
  'customer.billing_details_updated': 'customer_billing_details',
};

/** Returns what events of a type are about. */
export const objectTypeOf = (type: PublicEventType): EventObjectType =>
  OBJECTS[type] ?? (type.slice(0, type.indexOf('.')) as EventObjectType); // the others begin with it

/** Returns whether an endpoint that wants `wanted` gets events of a type: exact names, `invoice.*`, or `*`. */
export const isWanted = (wanted: readonly string[], type: string): boolean =>
  wanted.some(one => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))));
