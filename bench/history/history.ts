import { fillTemplate, type Template } from './template.ts';

/**
 * What is recorded of one customer. A slot is named after a field of {@link HistoryTenant} or {@link HistoryCustomer};
 * every other slot is the prefix and the number of an id that is new for each customer.
 */
export interface Recording {
  /** The events of the first payment, in the order in which they are sent. */
  readonly purchase: readonly Template[];
  /** The events of the renewals, in order. */
  readonly renewals: readonly Template[];
  /** The subscription and the line items of the checkout session, as the API returns them. */
  readonly subscription: Template;
  readonly lineItems: Template;
  /** The slots of the ids of the objects whose events are sent. */
  readonly slots: {
    readonly subscription: string;
    readonly invoices: readonly string[];
    readonly paymentIntent: string;
    readonly charge: string;
    readonly checkoutSession: string;
  };
}

/** The ids that the customers of a round share. */
export interface HistoryTenant {
  readonly teamId: string;
  readonly projectId: string;
  readonly priceId: string;
  readonly processorPriceId: string;
  readonly processorProductId: string;
}

export interface HistoryCustomer {
  /** Counted over all rounds: makes its ids differ from all others. */
  readonly number: number;
  readonly customerId: string;
  readonly processorCustomerId: string;
  readonly email: string;
}

/** The same history for every customer of a tenant. */
export interface History {
  readonly recording: Recording;
  readonly tenant: HistoryTenant;
  readonly customers: readonly HistoryCustomer[];
}

/**
 * Returns the bodies of all events in the order of time: the first payments of one customer after the other, then the
 * first renewal of every customer, and so on.
 */
export function historyBodies({ recording, tenant, customers }: History): string[] {
  const of = (templates: readonly Template[]) =>
    customers.flatMap(customer => templates.map(template => fillFor(template, tenant, customer)));
  return [...of(recording.purchase), ...recording.renewals.flatMap(renewal => of([renewal]))];
}

/** Returns a recorded text with the ids of a customer. */
export const fillFor = (template: Template, tenant: HistoryTenant, customer: HistoryCustomer): string =>
  fillTemplate(template, slotValue(tenant, customer));

/** Returns a function that gives the value of a slot for a customer. */
export function slotValue(tenant: HistoryTenant, customer: HistoryCustomer): (slot: string) => string {
  const { customerId, processorCustomerId, email } = customer;
  const given = new Map(Object.entries({ ...tenant, customerId, processorCustomerId, email }));
  return slot => given.get(slot) ?? `${slot}x${String(customer.number).padStart(14, '0')}`;
}

/** Returns the number of the customer whose id this is, if it is one of {@link slotValue}. */
export function customerNumberOf(id: string): number | undefined {
  const digits = /x(\d{14})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
