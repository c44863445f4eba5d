import { BillingError } from '@billing/client';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import { z } from 'zod';
import { FailedRequest, openBrowser } from './browser.ts';
import { clientOf, type DemoContext } from './demo-context.ts';
import type { DemoState } from './demo-state.ts';
import { processorAccount } from './processor-account.ts';

/**
 * Returns whether the data of a previous start still exists: its user can sign in, its key works, and its subscription
 * and its account at the processor exist. Points the webhook endpoint to the gateway's current URL.
 * @throws Error when the system cannot be reached
 */
export async function findExisting(demo: DemoContext, state: DemoState): Promise<boolean> {
  const { gatewayUrl, processorUrl, send, report } = demo;
  const { user, teamId, processorKey, webhookEndpointId, subscriptionId } = state;
  report(`signing in ${user.email}`);
  try {
    const browser = openBrowser(gatewayUrl, send);
    await browser.post('/api/auth/sign-in/email', user, z.unknown());
    const { webhookUrl } = await browser.get(
      `/api/service/teams/${teamId}/processor/webhook-url`,
      webhooksOperations.getWebhookUrl.response,
    );
    await clientOf(demo, state).subscriptions.get(subscriptionId);
    // The gateway's URL may have changed since the previous start.
    await processorAccount(processorUrl, processorKey, send).updateWebhookEndpoint(webhookEndpointId, webhookUrl);
    return true;
  } catch (err) {
    if (!isGone(err)) throw err;
    report('creating new data, because the data of the previous start is gone');
    return false;
  }
}

/** Returns whether the response means that the credentials or objects do not exist. */
function isGone(err: unknown): boolean {
  return (err instanceof BillingError || err instanceof FailedRequest) && [401, 403, 404].includes(err.status);
}
