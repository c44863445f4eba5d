import { BillingError } from '@billing/client';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import { z } from 'zod';
import { openBrowser, RefusedRequest } from './browser.ts';
import type { DemoState } from './demo-state.ts';
import { processorAccount } from './processor-account.ts';
import { clientOf, type Demo } from './demo.ts';

/**
 * Whether the data of an earlier start is still there: its user can sign in, its key works, its subscription and its
 * account at the processor exist. False when the system knows nothing of it any more.
 * @throws Error when the system does not answer, which says nothing about the data
 */
export async function findAgain(demo: Demo, state: DemoState): Promise<boolean> {
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
    // The gateway may listen elsewhere than it did at the earlier start.
    await processorAccount(processorUrl, processorKey, send).moveWebhookEndpoint(webhookEndpointId, webhookUrl);
    return true;
  } catch (err) {
    if (!isGone(err)) throw err;
    report('starting anew, for the data of an earlier start is gone');
    return false;
  }
}

/** Whether an answer says that credentials or objects are not known here. */
function isGone(err: unknown): boolean {
  return (err instanceof BillingError || err instanceof RefusedRequest) && [401, 403, 404].includes(err.status);
}
