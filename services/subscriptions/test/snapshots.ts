import { UNTAXED } from '@billing/contracts/resources/subscription';
import type { PriceSnapshot, SubscriptionSnapshot } from '@billing/processor/port';

const APRIL = new Date('2026-04-01T00:00:00Z');
const MAY = new Date('2026-05-01T00:00:00Z');

/** A price of 10.00 a month, as the processor has it. */
export const aPrice = (changes: Partial<PriceSnapshot> = {}): PriceSnapshot => ({
  id: 'price_1',
  productId: 'prod_1',
  unitAmount: 1_000,
  unitAmountDecimal: null,
  currency: 'usd',
  currencyOptions: null,
  billingScheme: 'per_unit',
  transformQuantity: null,
  type: 'recurring',
  interval: 'month',
  intervalCount: 1,
  metered: false,
  meterId: null,
  taxBehavior: 'unspecified',
  isActive: true,
  metadata: {},
  createdAt: new Date(0),
  ...changes,
});

/** An active subscription since April without items, as the processor has it. */
export const aSnapshot = (changes: Partial<SubscriptionSnapshot> = {}): SubscriptionSnapshot => ({
  id: 'sub_1',
  customerId: 'cus_1',
  status: 'active',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  canceledAt: null,
  cancellation: null,
  involuntary: false,
  pauseCollection: null,
  tax: UNTAXED,
  currency: null,
  items: [],
  currentPeriodStart: APRIL,
  currentPeriodEnd: MAY,
  startedAt: APRIL,
  trialEnd: null,
  endedAt: null,
  defaultPaymentMethodId: null,
  collectionMethod: 'charge_automatically',
  latestInvoiceId: null,
  pendingUpdate: null,
  discounts: [],
  customerDiscount: null,
  scheduleId: null,
  schedule: null,
  testClockId: null,
  metadata: {},
  createdAt: APRIL,
  ...changes,
});
