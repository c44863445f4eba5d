import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { featureKey } from '../resources/feature.ts';
import { customerState, featureCheck } from '../resources/customer-state.ts';
import { integerText } from '../text.ts';

const MAX_WAIT_MS = 10_000;

const read = { access: projectAccess('entitlements:read'), rateLimit: 'state-reads' } as const;
const STATE = `${PROJECT_PATH}/customers/:customerId/state` as const;
const EXTERNAL_STATE = `${PROJECT_PATH}/customers/external/:externalId/state` as const;

/** Those of the processor only with a `checkoutSession`. */
const STATE_PROBLEMS = [
  'customer_not_found',
  'checkout_session_not_found',
  'processor_not_connected',
  'processor_error',
] as const;

const query = z.strictObject({
  features: z
    .codec(z.string(), z.array(featureKey).max(200), {
      decode: list => list.split(','),
      encode: list => list.join(','),
    })
    .optional()
    .describe('Only entitlements to these features, with commas between them.'),
  checkoutSession: z
    .string()
    .regex(/^cs_\w{1,252}$/, 'Expected the id of a checkout session, for example cs_test_a1b2c3.')
    .optional()
    .describe(
      'A hosted checkout of the customer. While nothing of its outcome is recorded, it is read at the payment processor, once, and the state includes what came of it. If the processor cannot be reached, the request fails.',
    ),
  waitMs: integerText(0, MAX_WAIT_MS)
    .default(0)
    .describe(
      'How long to wait until the `checkoutSession` is complete or has failed, in milliseconds. While you wait for very many, the response comes at once.',
    ),
});

export const stateOperations = declareOperations('subscriptions', {
  getCustomerState: {
    route: `GET ${STATE}`,
    ...read,
    isTagged: true,
    waits: true,
    summary: 'Get what a customer may use, and how far the customer has paid',
    query,
    response: z.object({ state: customerState }),
    problems: STATE_PROBLEMS,
  },
  getExternalCustomerState: {
    route: `GET ${EXTERNAL_STATE}`,
    ...read,
    isTagged: true,
    waits: true,
    summary: 'Get what the customer with your own id may use',
    query,
    response: z.object({ state: customerState }),
    problems: STATE_PROBLEMS,
  },
  getCustomerFeature: {
    route: `GET ${STATE}/:featureKey`,
    ...read,
    summary: 'Get whether a customer may use a feature',
    response: featureCheck,
    problems: ['customer_not_found', 'feature_not_found'],
  },
  getExternalCustomerFeature: {
    route: `GET ${EXTERNAL_STATE}/:featureKey`,
    ...read,
    summary: 'Get whether the customer with your own id may use a feature',
    response: featureCheck,
    problems: ['customer_not_found', 'feature_not_found'],
  },
});
