import type { EventTypesOf } from '@billing/contracts/event-types';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type * as declared from './declared-types.ts';
import type { PageOptions } from './pages.ts';

// Responses: timestamps are ISO 8601 strings in UTC, amounts integers of the currency's smallest unit.
export type * from './declared-types.ts';
export type * from './events.ts';

/** The types of events, by what they are about. */
export type EventTypes = EventTypesOf;
/** The `details` of the errors that callers act on, by code; amounts are in the currency's smallest unit. */
export type ErrorDetails = ProblemDetails;
/** An invalid field of a `validation_error`: its path in the request, and what is wrong with it. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}
export type ConnectedProcessor = declared.ProcessorAccount;
export type CouponFilters = PageOptions;

/** A body that is one of several kinds, each with fields of its own. */
type OneOf<Body, Kind> = Omit<Body, FieldsOf<Kind>> & Kind;
type FieldsOf<Kind> = Kind extends unknown ? keyof Kind : never;

/** A recurring price, which needs an interval, or a one-time price, which has none. */
export type PriceCreate = OneOf<
  declared.PriceCreate,
  | {
      readonly type?: 'recurring' | null | undefined;
      readonly interval: NonNullable<declared.PriceCreate['interval']>;
      /** Number of intervals between billings; 1 by default. */
      readonly intervalCount?: number | null | undefined;
    }
  | { readonly type: 'one_time'; readonly interval?: null | undefined; readonly intervalCount?: null | undefined }
>;
/** A checkout of a subscription, optionally with a trial, or of a single payment. */
export type CheckoutCreate = OneOf<
  declared.CheckoutCreate,
  | { readonly mode?: 'subscription' | null | undefined; readonly trialDays?: number | null | undefined }
  | { readonly mode: 'payment'; readonly trialDays?: null | undefined }
>;
/** A new price or quantity, or all `items` that the subscription is to have. */
export type PlanChange = OneOf<
  declared.PlanChange,
  | (Pick<declared.PlanChange, 'priceId' | 'quantity'> & { readonly items?: null | undefined })
  | {
      readonly items: NonNullable<declared.PlanChange['items']>;
      readonly priceId?: null | undefined;
      readonly quantity?: null | undefined;
    }
>;
/** A percentage or an amount, for one invoice, some months or ever. */
export type CouponCreate = OneOf<
  declared.CouponCreate,
  (
    | {
        readonly percentOff: number;
        readonly amountOff?: null | undefined;
        readonly currency?: null | undefined;
        readonly currencyOptions?: null | undefined;
      }
    | { readonly amountOff: number; readonly currency: string; readonly percentOff?: null | undefined }
  ) &
    (
      | { readonly duration: 'repeating'; readonly durationInMonths: number }
      | { readonly duration: 'once' | 'forever'; readonly durationInMonths?: null | undefined }
    )
>;
/** A feature: on or off, a limit, or one of several values in ascending order. */
export type FeatureCreate = OneOf<
  declared.FeatureCreate,
  | { readonly type: 'boolean' }
  | {
      readonly type: 'limit';
      /** Whether the highest of several sources counts, or their sum; `max` by default. */
      readonly merge?: 'max' | 'sum';
    }
  | { readonly type: 'value'; readonly values: readonly string[] }
>;
