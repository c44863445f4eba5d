export { BillingClient } from './billing-client.ts';
export { BillingError } from './billing-error.ts';
export { chargeStepOf, decimalsOf, formatMoney, isWholeCurrency, PROCESSOR_CURRENCIES } from './money.ts';
export type { CallOptions, ClientOptions, ConnectionOptions, WriteOptions } from './options.ts';
export type { List, Page, PageOptions } from './pages.ts';
export { SessionClient, TeamClient } from './session-client.ts';
export type * from './session-wire.ts';
export type * from './wire.ts';
