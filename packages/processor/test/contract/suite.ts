import { afterAll, beforeAll, describe } from 'vitest';
import { accountCases } from './account.ts';
import { casesOf, type StandIn } from './cases.ts';
import { catalogCases } from './catalog.ts';
import { checkoutCases } from './checkout.ts';
import { customerCases } from './customers.ts';
import { eventCases } from './events.ts';
import { listedObjectCases } from './listed-objects.ts';
import { discountCases } from './discounts.ts';
import { invoiceItemCases } from './invoice-items.ts';
import { invoiceCases } from './invoices.ts';
import { invoicingCases } from './invoicing.ts';
import { paymentCases } from './payments.ts';
import { planChangeCases } from './plan-changes.ts';
import { sellingCases } from './selling.ts';
import { testClockCases } from './test-clocks.ts';
import { subscriptionCases } from './subscriptions.ts';
import { taxCases } from './taxes.ts';
import { usageCases } from './usage.ts';
import { writeCases } from './writes.ts';
import type { Processor } from '../../src/port.ts';
import { stripeProcessor } from '../../src/stripe-processor.ts';

/** Which tests run. */
interface Extent {
  /** Whether the hosted page can be paid. */
  canPay: boolean;
  /** True skips every test: there is no account. */
  isSkipped: boolean;
}

/**
 * Tests what Stripe and every stand-in for it must do, through the port that the services use. `start` is called once;
 * each test creates its own objects, so the account need not be empty.
 */
export function processorContract(name: string, start: () => Promise<StandIn>, extent: Extent): void {
  describe.skipIf(extent.isSkipped)(`${name} as the processor`, () => {
    let standIn: StandIn;
    let processor: Processor;
    beforeAll(async () => {
      standIn = await start();
      processor = stripeProcessor(standIn.secretKey, standIn.baseUrl);
    });
    afterAll(() => standIn.close());

    const cases = casesOf(
      () => processor,
      () => standIn,
      extent.canPay,
    );
    describe('an account', () => {
      accountCases(cases);
    });
    describe('a customer', () => {
      customerCases(cases);
    });
    describe('a taxed customer', () => {
      taxCases(cases);
    });
    describe('the catalog', () => {
      catalogCases(cases);
    });
    describe('a checkout session', () => {
      checkoutCases(cases);
    });
    describe('a subscription', () => {
      subscriptionCases(cases);
    });
    describe('a subscription without a page', () => {
      sellingCases(cases);
    });
    describe('a test clock', () => {
      testClockCases(cases);
    });
    describe('a change of a plan', () => {
      planChangeCases(cases);
    });
    describe('a discount', () => {
      discountCases(cases);
    });
    describe('an invoice', () => {
      invoiceCases(cases);
    });
    describe('an invoice beside subscriptions', () => {
      invoicingCases(cases);
    });
    describe('an item for the next invoice', () => {
      invoiceItemCases(cases);
    });
    describe('a payment', () => {
      paymentCases(cases);
    });
    describe('usage', () => {
      usageCases(cases);
    });
    describe('events', () => {
      eventCases(cases);
    });
    describe('objects', () => {
      listedObjectCases(cases);
    });
    describe('a write', () => {
      writeCases(cases);
    });
  });
}
