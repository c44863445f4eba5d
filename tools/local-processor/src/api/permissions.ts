import type { Account } from '../store/account.ts';
import { ApiError } from './errors.ts';

/** The permissions of restricted keys by the resource in the path, as Stripe's errors name them. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  account: 'rak_accounts_kyc_basic',
  billing: 'rak_billing_meter',
  charges: 'rak_charge',
  checkout: 'rak_checkout_session',
  coupons: 'rak_coupon',
  customers: 'rak_customer',
  disputes: 'rak_dispute',
  events: 'rak_event',
  invoice_payments: 'rak_invoice',
  invoiceitems: 'rak_invoice',
  invoices: 'rak_invoice',
  payment_intents: 'rak_payment_intent',
  payment_methods: 'rak_payment_method',
  prices: 'rak_plan',
  products: 'rak_product',
  promotion_codes: 'rak_promotion_code',
  refunds: 'rak_charge',
  setup_intents: 'rak_setup_intent',
  subscription_items: 'rak_subscription',
  subscription_schedules: 'rak_subscription',
  subscriptions: 'rak_subscription',
  test_helpers: 'rak_billing_clock',
  webhook_endpoints: 'rak_webhook',
};

/** Every permission that a restricted key can lack. */
export const ALL_PERMISSIONS = [...new Set(Object.values(PERMISSIONS))].flatMap(name => [
  `${name}_read`,
  `${name}_write`,
]);

/**
 * Checks that a restricted key has the permission for a call. To write includes to read.
 * (Stripe: https://docs.stripe.com/keys/restricted-api-keys)
 * @throws ApiError 403
 */
export function requirePermission(
  account: Account,
  key: { masked: string; missing: readonly string[] },
  method: string,
  path: string,
): void {
  const permission = PERMISSIONS[path.split('/')[2] ?? ''];
  if (permission === undefined) return;
  const { missing } = key;
  const lacksRead = missing.includes(`${permission}_read`);
  const lacks = method === 'GET' ? lacksRead : lacksRead || missing.includes(`${permission}_write`);
  if (!lacks) return;
  const needed = `${permission}_${method === 'GET' ? 'read' : 'write'}`;
  throw new ApiError(
    403,
    {
      type: 'invalid_request_error',
      message: `The provided key '${key.masked}' does not have the required permissions for this endpoint on account '${account.id}'. Having the '${needed}' permission would allow this request to continue.`,
    },
    false,
  );
}
