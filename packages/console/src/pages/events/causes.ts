import type { BillingEvent } from '@billing/client';

/** Why something changed. */
export const CAUSES: Readonly<Record<BillingEvent['cause']['type'], string>> = {
  api: 'A request',
  portal: 'The customer portal',
  processor: 'Stripe',
  sync: 'A sync',
  system: 'The system',
};
