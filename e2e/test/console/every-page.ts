import type { LongRecords } from '../../system/long-texts.ts';

/** A page of a project. */
export interface ProjectPage {
  readonly path: string;
  readonly heading: string;
  /** A text that only its data bring. */
  readonly shows: string;
  /** The buttons that open its dialogs. */
  readonly dialogs?: readonly string[];
}

/** Each page of a project that `fillTenant` filled, but for those of one record. */
export const LISTS: readonly ProjectPage[] = [
  { path: 'overview', heading: 'Shop', shows: '$29.99' },
  { path: 'overview/subscriptions?metric=mrr', heading: 'Subscriptions in MRR', shows: 'Sum of 1 subscription;' },
  { path: 'overview/subscriptions?metric=cancellations', heading: 'Cancellations', shows: 'No reason' },
  { path: 'overview/subscriptions?metric=excluded', heading: 'Left out of MRR', shows: 'There are none' },
  { path: 'start', heading: 'Get started', shows: 'The first payment has arrived' },
  { path: 'customers', heading: 'Customers', shows: '@example.com', dialogs: ['New customer'] },
  { path: 'customers?search=nobody-has-this', heading: 'Customers', shows: 'Nobody matches' },
  { path: 'customers?order=mrr', heading: 'Customers', shows: '$29.99' },
  { path: 'products', heading: 'Products', shows: '$29.99 a month', dialogs: ['New product'] },
  { path: 'features', heading: 'Features', shows: 'Seats', dialogs: ['New feature'] },
  { path: 'coupons', heading: 'Coupons', shows: 'SPRING20', dialogs: ['New coupon'] },
  { path: 'subscriptions', heading: 'Subscriptions', shows: 'Canceled', dialogs: ['Cancel…'] },
  { path: 'invoices', heading: 'Invoices', shows: 'Paid', dialogs: ['New invoice'] },
  { path: 'payments', heading: 'Payments', shows: 'Succeeded' },
  { path: 'failing-payments', heading: 'Failing payments', shows: 'Your card was declined.' },
  {
    path: 'price-migrations',
    heading: 'Price migrations',
    shows: 'Report',
    dialogs: ['New report'],
  },
  { path: 'test-clocks', heading: 'Test clocks', shows: 'A year of Pro', dialogs: ['New test clock'] },
  { path: 'referrals', heading: 'Referrals', shows: 'Credited', dialogs: ['New code'] },
  { path: 'events', heading: 'Events', shows: 'invoice.paid' },
  { path: 'events/to-you?type=invoice.paid', heading: 'Events', shows: 'paid invoice' },
  {
    path: 'webhook-endpoints',
    heading: 'Webhook endpoints',
    shows: 'Failing',
    dialogs: ['New endpoint'],
  },
  { path: 'dead-letters', heading: 'Dead letters', shows: 'Nothing is left behind' },
  { path: 'settings/keys', heading: 'API keys', shows: 'backend', dialogs: ['New API key', 'Rotate', 'Revoke'] },
  { path: 'settings/members', heading: 'Members', shows: 'Ada', dialogs: ['Invite someone'] },
  { path: 'settings/connection', heading: 'Connection', shows: 'Connected to Stripe', dialogs: ['Disconnect…'] },
  { path: 'settings/syncs', heading: 'Syncs', shows: 'Sync' },
  { path: 'settings/portal', heading: 'Portal', shows: 'Ask why' },
  { path: 'settings/project', heading: 'Project', shows: 'Project id' },
  { path: 'settings/audit-log', heading: 'Audit log', shows: 'created the key' },
];

/** The addresses of the pages of one record. */
export const pathsOf = (records: Omit<LongRecords, 'portalUrl'>): readonly string[] => [
  `customers/${records.customerId}`,
  `products/${records.productId}`,
  `features/${records.featureKey}`,
  `coupons/${records.couponId}`,
  `promotion-codes/${records.promotionCodeId}`,
  `subscriptions/${records.subscriptionId}`,
  `invoices/${records.invoiceId}`,
  `payments/${records.paymentId}`,
  `price-migrations/${records.priceMigrationId}`,
  `test-clocks/${records.testClockId}`,
  `referrals/${records.code}`,
  `events/${records.eventId}`,
  `events/to-you/${records.publicEventId}`,
  `webhook-endpoints/${records.endpointId}`,
  `webhook-deliveries/${records.deliveryId}`,
];
