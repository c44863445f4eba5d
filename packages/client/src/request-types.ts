import type { z } from 'zod';
import type * as ids from '@billing/contracts/ids';
import type { PageOptions } from './pages.ts';

type ResourceId =
  | ids.CouponId
  | ids.CustomerId
  | ids.EventId
  | ids.InvoiceId
  | ids.PaymentId
  | ids.PriceId
  | ids.PriceMigrationId
  | ids.ProductId
  | ids.ProjectId
  | ids.PromotionCodeId
  | ids.SubscriptionId
  | ids.TeamId
  | ids.WebhookEndpointId;

/**
 * A request body. Ids in it are plain strings, because yours come from a database, without the type of their prefix; fields
 * that are named as times may be a `Date` too.
 */
export type RequestBody<Schema extends z.ZodType, Times extends keyof z.input<Schema> = never> = {
  readonly [Field in keyof z.input<Schema>]: Loose<z.input<Schema>[Field]> | (Field extends Times ? Date : never);
};
type Loose<Field> = Field extends ResourceId | Date
  ? string | Exclude<Field, ResourceId>
  : Field extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : Field extends object
      ? { readonly [Name in keyof Field]: Loose<Field[Name]> }
      : Field;

/** The filters of a list, as values instead of query text; a time is a `Date` or an ISO 8601 string in UTC. */
export type Filters<Listing extends { readonly query: z.ZodType }> = PageOptions & OwnFilters<Listing>;

/** The same of a list that is read by cursor alone. */
export type CursorFilters<Listing extends { readonly query: z.ZodType }> = Omit<PageOptions, 'offset'> &
  OwnFilters<Listing>;

type OwnFilters<Listing extends { readonly query: z.ZodType }> = {
  readonly [Field in Exclude<keyof z.output<Listing['query']>, keyof PageOptions>]?:
    | Loose<z.output<Listing['query']>[Field]>
    | undefined;
};
