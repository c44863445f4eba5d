/** The chapters of the documentation, in their order, with the path segments that belong to each. */
export const TAGS = [
  { name: 'Sign-in', resources: ['auth'], description: 'People sign up and in; a session is a cookie.' },
  {
    name: 'Teams',
    resources: ['teams', 'members'],
    description: 'A team owns projects and one account at the payment processor.',
  },
  { name: 'Projects', resources: ['projects'], description: 'What customers, products and prices belong to.' },
  { name: 'API keys', resources: ['api-keys'], description: 'How your backend gets in, by scopes.' },
  {
    name: 'Payment processor',
    resources: ['processor'],
    description: 'Connecting Stripe: its keys, and where it posts its events.',
  },
  { name: 'Products', resources: ['products'], description: 'What is sold, mirrored at the payment processor.' },
  { name: 'Prices', resources: ['prices'], description: 'What products cost, mirrored at the payment processor.' },
  { name: 'Customers', resources: ['customers'], description: 'Who pays, mirrored at the payment processor.' },
  { name: 'Checkout', resources: ['checkout'], description: 'Pages of the payment processor on which to buy.' },
  {
    name: 'Subscriptions',
    resources: ['subscriptions'],
    description: 'Made when a checkout completes; their status follows the payment processor.',
  },
  { name: 'Invoices', resources: ['invoices'], description: 'As the payment processor keeps them.' },
  {
    name: 'Customer portal',
    resources: ['portal'],
    description: 'A page on which one customer sees and changes their billing, let in by a link.',
  },
  { name: 'Referrals', resources: ['referrals'], description: 'Codes, referrals and the credits they earn.' },
  { name: 'Analytics', resources: ['analytics'], description: 'The figures of a project.' },
  {
    name: 'Webhooks',
    resources: ['webhooks', 'webhook-events'],
    description: 'Events of the payment processor: receiving them, and what became of them.',
  },
] as const;
export type Tag = (typeof TAGS)[number]['name'];
