import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { customerState } from '../resources/customer-state.ts';

const read = projectAccess('entitlements:read');

export const stateOperations = declareOperations('subscriptions', {
  getCustomerState: {
    route: `GET ${PROJECT_PATH}/customers/:customerId/state`,
    access: read,
    summary: 'Get what a customer may use, and how far the customer has paid',
    response: z.object({ state: customerState }),
    problems: ['customer_not_found'],
  },
});
