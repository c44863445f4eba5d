import { BillingError } from '@billing/client';

interface Failure {
  readonly title: string;
  readonly message: string;
  readonly requestId: string | undefined;
}

const TITLES: Readonly<Record<string, string>> = {
  connection_failed: 'You seem to be offline',
  timed_out: 'The service did not respond in time',
  forbidden: 'Your role does not allow this',
  rate_limited: 'Too many requests',
  unavailable: 'A part of the service is not available',
};

/** Returns an error as people read it: what happened, why, and the id under which the logs have it. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof BillingError))
    return {
      title: 'This page failed',
      message: error instanceof Error ? error.message : String(error),
      requestId: undefined,
    };
  const { code, status, requestId, fields, details } = error;
  const message = fields[0] ? fields.map(field => field.message).join(' ') : error.message;
  // The page was opened at another address than the one of the installation.
  if (code === 'forbidden' && details?.['origin'])
    return { title: 'This page was opened at another address', message, requestId };
  return { title: TITLES[code] ?? (status >= 500 ? 'The service failed' : 'This was refused'), message, requestId };
}

/** The records that paths name, by parameter. */
const RECORDS: Readonly<Record<string, string>> = {
  teamId: 'team',
  projectId: 'project',
  productId: 'product',
  priceId: 'price',
  featureKey: 'feature',
  couponId: 'coupon',
  promotionCodeId: 'promotion code',
  customerId: 'customer',
  subscriptionId: 'subscription',
  invoiceId: 'invoice',
  paymentId: 'payment',
  eventId: 'webhook event',
  publicEventId: 'event',
  webhookEndpointId: 'webhook endpoint',
  webhookDeliveryId: 'webhook delivery',
  deadLetterId: 'dead letter',
  syncId: 'sync',
  priceMigrationId: 'price migration',
  testClockId: 'test clock',
  code: 'referral code',
};

/** Returns the noun of what a page requested in vain: nothing has its id, or no record's id looks like it. */
export function missingRecord(error: unknown): string | undefined {
  if (!(error instanceof BillingError)) return undefined;
  const { code, fields } = error;
  if (code === 'validation_error' && fields.length === 1) return RECORDS[fields[0]?.path ?? ''];
  const noun = /^(?!route_)(.+)_not_found$/.exec(code)?.[1]?.replaceAll('_', ' ');
  return noun === 'api key' ? 'API key' : noun;
}

/** How often a page loads its record again, unless there is none. */
export const unlessMissing =
  (ms: number) =>
  ({ state }: { readonly state: { readonly error: unknown } }): number | false =>
    missingRecord(state.error) ? false : ms;

/** What a request that was refused says about a form. */
interface FormProblems<Field extends string> {
  /** What is wrong with a field, to be shown beside it. */
  readonly of: Readonly<Partial<Record<Field, string>>>;
  /** The error, unless its fields say all of it. */
  readonly rest: unknown;
}

/**
 * Divides an error among the fields of a form that show their own problems, also of what lies within them (`metadata.tier`),
 * and what is left for the form itself. `refusals` has the field that a refusal is about, by the beginning of its code; where the
 * refusal has an `index`, that of its list which shows its own (`taxIds.1`).
 */
export function problemsOf<const Field extends string>(
  error: unknown,
  fields: readonly Field[],
  refusals: Readonly<Record<string, NoInfer<Field>>> = {},
): FormProblems<Field> {
  const of: Partial<Record<Field, string>> = {};
  if (!(error instanceof BillingError)) return { of, rest: error };
  const refused = Object.entries(refusals).find(([code]) => error.code.startsWith(code))?.[1];
  if (refused) {
    const one = `${refused}.${String(error.details?.['index'])}`;
    return { of: { ...of, [fields.find(field => field === one) ?? refused]: error.message }, rest: undefined };
  }
  const fieldOf = (path: string) => fields.find(field => path === field || path.startsWith(`${field}.`));
  for (const { path, message } of error.fields) {
    const field = fieldOf(path);
    if (field) of[field] = of[field] === undefined ? message : `${of[field]} ${message}`;
  }
  const isShown = error.fields.length > 0 && error.fields.every(({ path }) => fieldOf(path));
  return { of, rest: isShown ? undefined : error };
}

/** Promotion codes are refused for many reasons. */
export const PROMOTION_CODE_REFUSALS = { promotion_code_: 'promotionCode' } as const;

export const hasCode = (error: unknown, code: string): boolean => error instanceof BillingError && error.code === code;

/** Whether a request was refused for good: nothing was done, and the same request would be refused again. */
export const isRefused = (error: unknown): error is BillingError =>
  error instanceof BillingError && error.status >= 400 && error.status < 500 && error.code !== 'idempotency_key_in_use';
