import { createHmac, randomBytes } from 'node:crypto';
import type { ProjectId } from '@billing/contracts/ids';

/** Signs a body as Stripe does at `seconds` since 1970. */
export function sign(body: string | Buffer, secret: string, seconds = Math.floor(Date.now() / 1_000), scheme = 'v1') {
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},${scheme}=${digest}`;
}

/** A webhook event of any type, as Stripe sends it. */
export function newWebhookEvent(type: string, object: object, changes: object = {}) {
  return {
    id: `evt_${randomBytes(12).toString('hex')}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(Date.now() / 1_000),
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object },
    ...changes,
  };
}

/** A customer at Stripe, whose metadata names the project if one is given. */
export function newStripeCustomer(projectId?: ProjectId, changes: object = {}) {
  const id = `cus_${randomBytes(8).toString('hex')}`;
  return { id, object: 'customer', email: 'ada@example.com', metadata: projectId ? { projectId } : {}, ...changes };
}

/** An update of a customer that names its project. */
export const customerUpdated = (projectId?: ProjectId, changes: object = {}) =>
  newWebhookEvent('customer.updated', newStripeCustomer(projectId, changes));
