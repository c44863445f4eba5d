import { randomBytes } from 'node:crypto';
import type { ProjectId } from '@billing/contracts/ids';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';

/** A customer at Stripe, whose metadata names the project if one is given. */
export function newStripeCustomer(projectId?: ProjectId, changes: object = {}) {
  const id = `cus_${randomBytes(8).toString('hex')}`;
  return { id, object: 'customer', email: 'ada@example.com', metadata: projectId ? { projectId } : {}, ...changes };
}

/** An update of a customer that names its project. */
export const customerUpdated = (projectId?: ProjectId, changes: object = {}) =>
  newWebhookEvent('customer.updated', newStripeCustomer(projectId, changes));
