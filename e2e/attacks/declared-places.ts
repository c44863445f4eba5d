/** The columns that have what is known of a customer: the owner's own, and copies of Stripe's objects for the team. */
const CUSTOMER_COLUMNS = [
  'customers.customers.*',
  'customers.customer_identifiers.value',
  // Stored responses, and events that are kept for three days.
  'customers.idempotent_requests.body',
  'customers.outbox_messages.body',
  'team.*.data',
  'webhooks.webhook_events.payload',
  // Events for the tenant itself, until its customer is deleted; also on their way from the service that publishes states.
  'webhooks.events_*.body',
  'subscriptions.outbox_messages.body',
];
/** What the state of a customer shows, until the customer is deleted. */
const STATE_COLUMNS = [
  'subscriptions.customer_copies.email',
  'subscriptions.customer_copies.external_id',
  'subscriptions.customer_states.state',
];
/** Who is billed: the owner's own, what invoices show until the customer is deleted, and copies of Stripe's objects. */
const BILLED_COLUMNS = [
  'customers.customers.*',
  'customers.outbox_messages.body',
  'team.*.data',
  'webhooks.webhook_events.payload',
  'webhooks.events_*.body',
];
/** Where each personal text may stand. */
export const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'e-mail': [...CUSTOMER_COLUMNS, ...STATE_COLUMNS],
  name: CUSTOMER_COLUMNS,
  'external id': [...CUSTOMER_COLUMNS, ...STATE_COLUMNS],
  metadata: CUSTOMER_COLUMNS,
  'tax id': [...BILLED_COLUMNS, 'subscriptions.invoices.customer_tax_ids'],
  street: BILLED_COLUMNS,
  'order number': [...BILLED_COLUMNS, 'subscriptions.invoices.purchase_order'],
  'token in a URL': ['webhooks.webhook_endpoints.url'],
  'invited address': ['gateway.invitations.email'],
  'member’s address': ['auth.user.email'],
};

/** Events of a customer's record have the whole customer, and its states address and external id; those that carry an object of Stripe's have what Stripe put there. */
const STATES = /^billing\.record\.customer-state\.changed\.v1$/;
export const CUSTOMER_EVENTS = /^billing\.record\.customer\.(?:created|updated|deleted)\.v1$/;
const STRIPE_CUSTOMER_EVENTS = /^billing\.processor\.customer\.(?:created|updated|deleted)\.v1$/;
const BILLED_EVENTS = [
  /^billing\.record\.customer-billing-details\.updated\.v1$/,
  STRIPE_CUSTOMER_EVENTS,
  /^billing\.processor\.invoice\.\w+\.v1$/,
];
const STRIPE_EVENTS = /^billing\.processor\.(?:checkout\.session|invoice|charge|payment_intent)\.\w+\.v1$/;
/** Which events may have each personal text. */
export const SUBJECTS: Readonly<Record<string, readonly RegExp[]>> = {
  'e-mail': [STATES, CUSTOMER_EVENTS, STRIPE_CUSTOMER_EVENTS, STRIPE_EVENTS],
  name: [CUSTOMER_EVENTS, STRIPE_CUSTOMER_EVENTS, STRIPE_EVENTS],
  'external id': [STATES, CUSTOMER_EVENTS, STRIPE_CUSTOMER_EVENTS],
  metadata: [CUSTOMER_EVENTS, STRIPE_CUSTOMER_EVENTS],
  'tax id': [...BILLED_EVENTS, /^billing\.processor\.customer\.tax_id\.\w+\.v1$/],
  street: BILLED_EVENTS,
  'order number': BILLED_EVENTS,
};
