import type { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp } from '../clean-up.ts';
import { stripeClient } from '../../../src/stripe-client.ts';
import { apiAccount, type Control } from './account.ts';
import type { ApiCase } from './case.ts';
import { catalogCases } from './catalog.ts';
import { checkoutCases } from './checkout.ts';
import { customerCases } from './customers.ts';
import { discountCases } from './discounts.ts';
import { invoicingCases } from './invoicing.ts';
import { paymentBehaviorCases } from './payment-behavior.ts';
import { paymentCases } from './payments.ts';
import { planChangeCases } from './plan-changes.ts';
import { Recording } from './recording.ts';
import { requestCases } from './requests.ts';
import { schedulePhaseCases } from './schedule-phases.ts';
import { subscriptionCases } from './subscriptions.ts';

/** A stand-in whose control API does what Stripe's users and banks do. */
export interface ApiStandIn {
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly control: Control;
  close(): Promise<void>;
}

const CASES: Readonly<Record<string, readonly ApiCase[]>> = {
  'the catalog': catalogCases,
  'a customer': customerCases,
  'a subscription': subscriptionCases,
  'a change of a subscription': planChangeCases,
  'a change that has to be paid': paymentBehaviorCases,
  'a discount': discountCases,
  'a schedule': schedulePhaseCases,
  'an invoice beside subscriptions': invoicingCases,
  'a payment': paymentCases,
  'a checkout session': checkoutCases,
  'a request': requestCases,
};

/**
 * Tests Stripe's documented behaviour through its library: at a stand-in, and at Stripe itself if there is a test key.
 * At Stripe each case also fails when the two differ in fields or refusals, and lists where.
 */
export function apiContract(name: string, start: () => Promise<ApiStandIn>, stripeKey: string | undefined): void {
  let standIn: ApiStandIn;
  beforeAll(async () => {
    standIn = await start();
  });
  afterAll(() => standIn.close());
  const runAtStandIn = (apiCase: ApiCase) =>
    runAt(apiCase, stripeClient(standIn.secretKey, standIn.baseUrl), standIn.control);

  describe(`the API of ${name}`, () => {
    describe.each(Object.entries(CASES))('%s', (_, cases) => {
      it.each(cases)('$title', async apiCase => {
        expect(await runAtStandIn(apiCase)).toBeInstanceOf(Recording);
      });
    });
  });

  describe('the API of Stripe', () => {
    const since = new Date();
    afterAll(async () => {
      if (stripeKey !== undefined) await cleanUp(stripeClient(stripeKey), since);
    });
    describe.each(Object.entries(CASES))('%s', (_, cases) => {
      for (const apiCase of cases)
        it.skipIf(stripeKey === undefined || apiCase.isStandInOnly)(`${apiCase.title}${limitOf(apiCase)}`, async () => {
          const atStripe = await runAt(apiCase, stripeClient(stripeKey ?? ''), null);
          expect((await runAtStandIn(apiCase)).differencesFrom(atStripe)).toEqual([]);
        });
    });
  });
}

async function runAt(apiCase: ApiCase, stripe: Stripe, control: Control | null): Promise<Recording> {
  const recording = new Recording();
  await apiCase.run(apiAccount(stripe, recording), control);
  return recording;
}

const limitOf = ({ isStandInOnly }: ApiCase) => (isStandInOnly ? ' (only at a stand-in: needs the control API)' : '');
