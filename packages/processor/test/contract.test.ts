import { randomBytes } from 'node:crypto';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { apiContract } from './contract/api/suite.ts';
import { cleanUp } from './contract/clean-up.ts';
import { processorContract } from './contract/suite.ts';
import { stripeClient } from '../src/stripe-client.ts';

const stripeKey = testKey(process.env['STRIPE_TEST_SECRET_KEY']);

async function startStandIn() {
  const { url, close } = await startLocalProcessor();
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  return { baseUrl: url, secretKey, control: new LocalProcessorControl(url, secretKey), close };
}

processorContract(
  'the local processor',
  async () => {
    const { control, ...standIn } = await startStandIn();
    return {
      ...standIn,
      pay: async ({ id }) => {
        await control.checkout(id, 'pay');
      },
    };
  },
  { canPay: true, isSkipped: false },
);

processorContract(
  'Stripe',
  async () => {
    const since = new Date();
    const secretKey = stripeKey ?? '';
    return { secretKey, pay: null, close: () => cleanUp(stripeClient(secretKey), since) };
  },
  { canPay: false, isSkipped: stripeKey === undefined },
);

apiContract('the local processor', startStandIn, stripeKey);

/** Returns the key of a test account. @throws for a live key: these tests create and delete objects */
function testKey(key: string | undefined): string | undefined {
  if (key === undefined || key === '') return undefined;
  if (!/^(sk|rk)_test_/.test(key))
    throw new Error(
      'STRIPE_TEST_SECRET_KEY is not the key of a test account. It must begin with sk_test_ or rk_test_.',
    );
  return key;
}
