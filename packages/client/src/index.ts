export { BillingClient } from './billing-client.ts';
export { BillingError } from './billing-error.ts';
export type { CallOptions, ClientOptions, WriteOptions } from './options.ts';
export type { List, Page, PageOptions } from './pages.ts';
export type * from './wire.ts';
