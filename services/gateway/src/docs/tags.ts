export interface Section {
  readonly name: string;
  /** The first resources of paths. */
  readonly resources: readonly string[];
  /** Resources below those of other sections, as `customers/{customerId}/grants`. */
  readonly ofOthers?: readonly string[];
  readonly description: string;
}

/** The sections of the documentation in the order of the day's jobs, each with the resources in paths that belong to it. */
export const TAGS = [
  { name: 'Products', resources: ['products'], description: 'What you sell, mirrored to the payment processor.' },
  { name: 'Prices', resources: ['prices'], description: 'What products cost, mirrored to the payment processor.' },
  {
    name: 'Coupons',
    resources: ['coupons', 'promotion-codes'],
    description: 'Price reductions and the codes that redeem them, mirrored to the payment processor.',
  },
  {
    name: 'Features',
    resources: ['features', 'product-features'],
    ofOthers: ['features', 'grants', 'state'],
    description: 'What products and grants give to customers, and the one read of what a customer may use.',
  },
  {
    name: 'Catalog',
    resources: ['catalog'],
    description: 'All that a project sells as a document of your repository, compared and applied.',
  },
  { name: 'Customers', resources: ['customers'], description: 'Who pays, mirrored to the payment processor.' },
  {
    name: 'Test clocks',
    resources: ['test-clocks'],
    description: 'Time of the payment processor in test mode: what a year brings is seen in a minute.',
  },
  {
    name: 'Usage',
    resources: ['usage'],
    ofOthers: ['usage'],
    description: 'What customers have used, passed on to the payment processor, which bills it by metered prices.',
  },
  {
    name: 'Checkout',
    resources: ['checkout'],
    description: 'Hosted pages of the payment processor where customers buy.',
  },
  { name: 'Referrals', resources: ['referrals'], description: 'Codes, referrals and the credits they earn.' },
  {
    name: 'Subscriptions',
    resources: ['subscriptions', 'price-migrations'],
    description:
      'Created when a checkout completes; their status follows the payment processor. Their plans change by one request, of one or of all at a price.',
  },
  {
    name: 'Customer portal',
    resources: ['portal', 'portal-config'],
    description:
      'A page where a customer sees and changes their billing, opened by a link: what it offers, and how it looks.',
  },
  {
    name: 'Invoices',
    resources: ['invoices', 'dunning'],
    description: 'As the payment processor reports them, and which of them it fails to collect.',
  },
  { name: 'Payments', resources: ['payments'], description: 'With their refunds and disputes.' },
  { name: 'Analytics', resources: ['analytics'], description: 'The metrics of a project.' },
  {
    name: 'Events',
    resources: ['events', 'webhook-endpoints', 'webhook-deliveries'],
    description: 'Every change in a project, in order: posted to your endpoints, signed, or read by cursor.',
  },
  {
    name: 'Webhooks from Stripe',
    resources: ['webhooks', 'webhook-events'],
    description: 'Events of the payment processor: how they are received and processed.',
  },
  { name: 'Sign-in', resources: ['auth'], description: 'People sign up and sign in; a cookie carries the session.' },
  {
    name: 'Teams',
    resources: ['teams', 'members', 'invitations', 'audit-log'],
    description: 'A team owns projects and one account at the payment processor.',
  },
  { name: 'Projects', resources: ['projects'], description: 'A project holds customers, products and prices.' },
  { name: 'API keys', resources: ['api-keys'], description: 'Credentials of your backend, limited by scopes.' },
  {
    name: 'Payment processor',
    resources: ['processor'],
    description: 'Connecting Stripe: its keys, and the URL for its webhooks.',
  },
  {
    name: 'Syncs',
    resources: ['syncs'],
    description: 'The payment processor’s account and the records of a project, compared and made equal.',
  },
  {
    name: 'Dead letters',
    resources: ['dead-letters'],
    description: 'Events that a service failed to handle for good: retry them, or drop them.',
  },
] as const satisfies readonly Section[];
export type Tag = (typeof TAGS)[number]['name'];

/** The sections of each of the day's jobs, all in the same order; pages with an API reference know it by this extension. */
export const TAG_GROUPS: readonly { readonly name: string; readonly tags: readonly Tag[] }[] = [
  {
    name: 'Sell',
    tags: [
      'Products',
      'Prices',
      'Coupons',
      'Features',
      'Catalog',
      'Customers',
      'Test clocks',
      'Usage',
      'Checkout',
      'Referrals',
    ],
  },
  { name: 'Change a subscription', tags: ['Subscriptions', 'Customer portal'] },
  { name: 'Take care of payments', tags: ['Invoices', 'Payments'] },
  { name: 'Look at numbers', tags: ['Analytics'] },
  { name: 'Follow what happens', tags: ['Events', 'Webhooks from Stripe'] },
  { name: 'Set up', tags: ['Sign-in', 'Teams', 'Projects', 'API keys', 'Payment processor', 'Syncs', 'Dead letters'] },
];
