import type { Stripe } from 'stripe';
import { type Endpoint, endpoint } from '../api/endpoint.ts';
import { expand, parameters } from '../api/parameters.ts';
import { balanceTransactionEndpoints } from './balance-transactions.ts';
import { checkoutSessionEndpoints } from './checkout-sessions.ts';
import { couponEndpoints } from './coupons.ts';
import { customerEndpoints } from './customers.ts';
import { eventEndpoints } from './events.ts';
import { invoiceItemEndpoints } from './invoice-items.ts';
import { invoicePreviewEndpoints } from './invoice-preview.ts';
import { invoiceEndpoints } from './invoices.ts';
import { meterEventEndpoints } from './meter-events.ts';
import { meterEndpoints } from './meters.ts';
import { paymentMethodEndpoints } from './payment-methods.ts';
import { paymentEndpoints } from './payments.ts';
import { priceEndpoints } from './prices.ts';
import { productEndpoints } from './products.ts';
import { promotionCodeEndpoints } from './promotion-codes.ts';
import { searchEndpoints } from './search.ts';
import { subscriptionScheduleEndpoints } from './subscription-schedules.ts';
import { subscriptionEndpoints } from './subscriptions.ts';
import { taxIdEndpoints } from './tax-ids.ts';
import { thinEventEndpoints } from './thin-events.ts';
import { testClockEndpoints } from './test-clocks.ts';
import { webhookEndpointEndpoints } from './webhook-endpoints.ts';

const retrieveAccount = endpoint('GET', '/v1/account', parameters<Stripe.AccountRetrieveParams>()({ expand }), unit =>
  unit.account.describe(),
);

/** All endpoints of the API. */
export const endpoints: readonly Endpoint[] = [
  retrieveAccount,
  ...balanceTransactionEndpoints,
  ...checkoutSessionEndpoints,
  ...couponEndpoints,
  ...customerEndpoints,
  ...eventEndpoints,
  ...invoiceEndpoints,
  ...invoiceItemEndpoints,
  ...invoicePreviewEndpoints,
  ...meterEndpoints,
  ...meterEventEndpoints,
  ...paymentEndpoints,
  ...paymentMethodEndpoints,
  ...priceEndpoints,
  ...productEndpoints,
  ...promotionCodeEndpoints,
  ...searchEndpoints,
  ...subscriptionEndpoints,
  ...subscriptionScheduleEndpoints,
  ...taxIdEndpoints,
  ...testClockEndpoints,
  ...thinEventEndpoints,
  ...webhookEndpointEndpoints,
];
