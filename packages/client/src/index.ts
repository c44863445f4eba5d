export { BillingClient } from './billing-client.ts';
export { BillingError } from './billing-error.ts';
export { EVENT_TYPES } from '@billing/contracts/event-types';
export {
  chargeStepOf,
  decimalsOf,
  formatExactMoney,
  formatMoney,
  isWholeCurrency,
  PROCESSOR_CURRENCIES,
} from './money.ts';
export { catalogConflictText } from '@billing/contracts/catalog-conflict-text';
export { paymentMethodLine } from '@billing/contracts/payment-method-text';
export { Entitlements, type EntitlementOptions } from './entitlements.ts';
export type {
  CustomerRef,
  DunningPage,
  EmbeddedCheckout,
  HostedCheckout,
  SoldAtOnce,
  StateQuery,
} from './own-methods.ts';
export type { CallOptions, ClientOptions, ConnectionOptions, WriteOptions } from './options.ts';
export { List, type CursorPage, type Page, type PageOptions } from './pages.ts';
export { SessionClient, TeamClient } from './session-client.ts';
export { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from './verify-webhook.ts';
export type * from './wire.ts';
