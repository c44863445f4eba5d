import type { StripeEvent } from './stripe-event.ts';

const CUSTOMER_EVENTS = /^customer\.(created|updated|deleted)$/;
const PRODUCT_EVENTS = /^(product|price)\.(created|updated|deleted)$/;
const DISCOUNT_EVENTS = /^(coupon|promotion_code)\.(created|updated|deleted)$/;
/** The types that the service handles; `customer.created` is complete without a project. */
const HANDLED =
  /^(customer\.(updated|deleted)|customer\.discount\.(created|updated|deleted)|customer\.subscription\.(created|updated|deleted|paused|resumed|trial_will_end|pending_update_applied|pending_update_expired)|subscription_schedule\.\w+|invoice\.(paid|payment_action_required|payment_failed|finalized|voided|updated|marked_uncollectible|deleted)|invoice_payment\.paid|payment_intent\.(succeeded|payment_failed|amount_capturable_updated|canceled)|charge\.(succeeded|failed|refunded|updated|captured|expired)|charge\.dispute\.(created|updated|closed)|charge\.refund\.updated|refund\.(created|updated|failed)|(product|price|coupon|promotion_code)\.(created|updated|deleted))$/;

/** What another product that shares the Stripe account does. */
export interface ForeignEvents {
  /** Stripe ids of customers that were created without our metadata, and never got it. */
  readonly customers: ReadonlySet<string>;
  /** Stripe ids of products, likewise. */
  readonly products: ReadonlySet<string>;
  /** Ids of the events that must end as foreign. */
  readonly events: ReadonlySet<string>;
}

/** Finds what belongs to customers and products without our metadata. */
export function findForeign(events: readonly StripeEvent[]): ForeignEvents {
  const customers = createdWithoutProject(events.filter(({ type }) => CUSTOMER_EVENTS.test(type)));
  const products = createdWithoutProject(events.filter(({ type }) => type.startsWith('product.')));
  const owners = new Map(
    events
      .filter(({ data }) => data.object.object === 'charge' || data.object.object === 'invoice')
      .map(({ data: { object } }) => [object.id, object.customer]),
  );
  const isForeign = ({ type, data: { object } }: StripeEvent): boolean => {
    if (PRODUCT_EVENTS.test(type)) return products.has(object.product ?? object.id);
    if (DISCOUNT_EVENTS.test(type)) return object.metadata['projectId'] === undefined;
    if (CUSTOMER_EVENTS.test(type)) return customers.has(object.id);
    return customers.has(object.customer ?? owners.get(object.charge ?? object.invoice));
  };
  const foreign = events.filter(event => HANDLED.test(event.type) && isForeign(event));
  return { customers, products, events: new Set(foreign.map(({ id }) => id)) };
}

/** Returns the ids of objects whose creation is known and of which no event names a project. */
function createdWithoutProject(events: readonly StripeEvent[]): Set<string> {
  const marked = new Set(events.filter(({ data }) => data.object.metadata['projectId'] !== undefined).map(idOf));
  const created = events.filter(({ type }) => type.endsWith('.created')).map(idOf);
  return new Set(created.filter(id => !marked.has(id)));
}

const idOf = ({ data }: StripeEvent): string => String(data.object.id);
