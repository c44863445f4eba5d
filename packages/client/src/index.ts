export { BillingClient } from './billing-client.ts';
export { BillingError } from './billing-error.ts';
export type { BillingEvent, EventObjectType, EventType, PingEvent, ReceivedEvent } from './events.ts';
export { EVENT_TYPES } from '@billing/contracts/event-types';
export type { WebhookDeliveryDetails } from './events.ts';
export {
  chargeStepOf,
  decimalsOf,
  formatExactMoney,
  formatMoney,
  isWholeCurrency,
  PROCESSOR_CURRENCIES,
} from './money.ts';
export { Entitlements, type EntitlementOptions } from './entitlements.ts';
export type { CustomerRef, StateQuery } from './feature-methods.ts';
export type { DunningPage } from './invoice-methods.ts';
export type { CallOptions, ClientOptions, ConnectionOptions, WriteOptions } from './options.ts';
export type { CursorPage, List, Page, PageOptions } from './pages.ts';
export { SessionClient, TeamClient } from './session-client.ts';
export { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from './verify-webhook.ts';
export type * from './session-wire.ts';
export type * from './wire.ts';
