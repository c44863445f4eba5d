import { BillingError, type BillingClient, type FeatureValue, type PlanChangePreview } from '@billing/client';
import { clientOf, type DemoContext } from './demo-context.ts';
import { createSignInLink } from './create-sign-in-link.ts';
import { demoState, loadState, saveState, type DemoState } from './demo-state.ts';
import { findExisting } from './find-existing.ts';
import { checkout, sellSubscription } from './sell-subscription.ts';
import { setUpProject } from './set-up-project.ts';

export interface DemoOptions {
  readonly gatewayUrl: string;
  readonly processorUrl: string;
  /** The file with the data of a completed demo; readable by its owner only. */
  readonly stateFile: string;
  readonly fetch?: typeof fetch;
  /** Receives the name of each step when it starts. */
  readonly report: (step: string) => void;
  /** Timeout of each wait, in milliseconds; default 30,000. */
  readonly deadlineMs?: number;
}

/** The sign-in, key, links and metrics of a completed demo. */
export interface DemoResult {
  readonly user: { readonly email: string; readonly password: string };
  /** Signs this user in once, on this machine; undefined where other machines can reach the gateway. */
  readonly signInUrl: string | undefined;
  readonly teamId: string;
  readonly projectId: string;
  readonly apiKey: string;
  /** An open checkout. */
  readonly checkoutUrl: string;
  /** The portal of the customer with the subscription. */
  readonly portalUrl: string;
  /** In the smallest unit of `currency`. */
  readonly mrr: number;
  readonly currency: string;
  /** What the customer with the subscription may use: the value of each feature. */
  readonly mayUse: Readonly<Record<string, FeatureValue>>;
  /** What it costs this customer to change to the other price today; undefined when the subscription can't change to it. */
  readonly upgrade: PlanChangePreview | undefined;
  readonly subscriptionId: string;
  readonly referralConverted: boolean;
  readonly webhooks: { readonly total: number; readonly processed: number; readonly failed: number };
  /** Whether the data of a previous start was reused. */
  readonly reused: boolean;
}

const DAY_MS = 86_400_000;

/**
 * Runs the main scenario through the public API only: a project, a paid subscription and what it entitles to, a converted
 * referral, revenue in the analytics and an open portal. A later start reuses the data and creates new links.
 * @throws Error that names the failed step, and what did not happen in time
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  let step = 'starting';
  const report = (next: string) => {
    step = next;
    options.report(next);
  };
  try {
    return await runSteps({ ...options, report });
  } catch (err) {
    throw new Error(`While ${step}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
  }
}

async function runSteps(options: DemoOptions): Promise<DemoResult> {
  const { stateFile, report, deadlineMs = 30_000 } = options;
  const send = withHostInErrors(options.fetch ?? fetch);
  const gatewayUrl = options.gatewayUrl.replace(/\/+$/, '');
  const processorUrl = options.processorUrl.replace(/\/+$/, '');
  const demo: DemoContext = { gatewayUrl, processorUrl, send, report, deadlineMs, linkMs: DAY_MS };

  const previous = await loadState(stateFile);
  const reused = previous !== undefined && (await findExisting(demo, previous));
  const state = reused ? previous : await createState(demo);
  const client = clientOf(demo, state);

  report('creating links');
  const { url: checkoutUrl } = await checkout(demo, client, state.referrerId, state.priceId);
  const { portalUrl } = await client.portal.create({ customerId: state.refereeId, ttlMs: demo.linkMs });
  const page = await send(portalUrl);
  await page.body?.cancel();
  if (page.status !== 200) throw new Error(`The portal page returned ${page.status} instead of 200.`);
  const { mrr, referralStats, webhookStats } = await client.analytics.get();
  const { entitlements } = await client.states.get(state.refereeId);
  const mayUse = Object.fromEntries(Object.entries(entitlements).map(([key, { value }]) => [key, value]));
  const upgrade = await previewUpgrade(client, state);
  await saveState(stateFile, state);

  const { user, teamId, projectId, apiKey, subscriptionId } = state;
  const signInUrl = await createSignInLink(demo, user);
  return {
    user,
    teamId,
    projectId,
    apiKey,
    checkoutUrl,
    portalUrl,
    signInUrl,
    mrr,
    currency: 'usd',
    mayUse,
    upgrade,
    subscriptionId,
    referralConverted: referralStats.converted > 0,
    webhooks: webhookStats,
    reused,
  };
}

/** Previews the change to the other price, unless somebody has made it, or ended the subscription, since an earlier start. */
async function previewUpgrade(
  { subscriptions }: BillingClient,
  { subscriptionId, upgradePriceId }: DemoState,
): Promise<PlanChangePreview | undefined> {
  try {
    return await subscriptions.previewChange(subscriptionId, { priceId: upgradePriceId });
  } catch (err) {
    if (err instanceof BillingError && err.status === 422) return undefined;
    throw err;
  }
}

/** Wraps fetch so that a network error names the host; the platform's error does not. */
function withHostInErrors(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    try {
      return await send(input, init);
    } catch (cause) {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      throw new Error(`${origin} could not be reached.`, { cause });
    }
  };
}

async function createState(demo: DemoContext): Promise<DemoState> {
  const ready = await setUpProject(demo);
  const { price, upgrade, referrer, referee, subscriptionId } = await sellSubscription(demo, clientOf(demo, ready));
  return demoState.parse({
    ...ready,
    priceId: price.id,
    upgradePriceId: upgrade.id,
    referrerId: referrer.id,
    refereeId: referee.id,
    subscriptionId,
  });
}
