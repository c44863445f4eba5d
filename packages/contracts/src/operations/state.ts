import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { featureKey } from '../resources/feature.ts';
import { access, customerState } from '../resources/customer-state.ts';
import { integerText, text } from '../text.ts';

const MAX_SESSION = 255;
const MAX_WAIT_MS = 10_000;

const read = { access: projectAccess('entitlements:read'), rateLimit: 'state-reads' } as const;
const STATE = `${PROJECT_PATH}/customers/:customerId/state` as const;
const EXTERNAL_STATE = `${PROJECT_PATH}/customers/external/:externalId/state` as const;

const query = z.strictObject({
  features: z
    .codec(z.string(), z.array(featureKey).max(200), {
      decode: list => list.split(','),
      encode: list => list.join(','),
    })
    .optional()
    .describe('Only entitlements to these features, with commas between them.'),
  checkoutSession: text(MAX_SESSION)
    .optional()
    .describe(
      'A hosted checkout of the customer, whose outcome the state then includes as soon as the payment processor has it.',
    ),
  waitMs: integerText(0, MAX_WAIT_MS)
    .default(0)
    .describe('How long to wait until the `checkoutSession` is complete, in milliseconds.'),
});

export const stateOperations = declareOperations('subscriptions', {
  getCustomerState: {
    route: `GET ${STATE}`,
    ...read,
    isTagged: true,
    summary: 'Get what a customer may use, and how far the customer has paid',
    query,
    response: z.object({ state: customerState }),
    problems: ['customer_not_found', 'checkout_session_not_found'],
  },
  getExternalCustomerState: {
    route: `GET ${EXTERNAL_STATE}`,
    ...read,
    isTagged: true,
    summary: 'Get what the customer with your own id may use',
    query,
    response: z.object({ state: customerState }),
    problems: ['customer_not_found', 'checkout_session_not_found'],
  },
  getCustomerFeature: {
    route: `GET ${STATE}/:featureKey`,
    ...read,
    summary: 'Get whether a customer may use a feature',
    response: access,
    problems: ['customer_not_found', 'feature_not_found'],
  },
  getExternalCustomerFeature: {
    route: `GET ${EXTERNAL_STATE}/:featureKey`,
    ...read,
    summary: 'Get whether the customer with your own id may use a feature',
    response: access,
    problems: ['customer_not_found', 'feature_not_found'],
  },
});
