import { clientOf, type Demo } from './demo.ts';
import { demoState, loadState, saveState, type DemoState } from './demo-state.ts';
import { findAgain } from './find-again.ts';
import { checkout, sellSubscription } from './sell-subscription.ts';
import { setUpProject } from './set-up-project.ts';

export interface DemoOptions {
  /** Where the gateway answers. */
  readonly gatewayUrl: string;
  /** Where the local processor answers. */
  readonly processorUrl: string;
  /** Keeps what a later start needs to find the same data; readable by its owner only. */
  readonly stateFile: string;
  readonly fetch?: typeof fetch;
  /** Hears of every step. */
  readonly report: (step: string) => void;
  /** How long each wait may take, in milliseconds; 30,000 unless told. */
  readonly deadlineMs?: number;
}

/** What the demo leaves to look at. */
export interface DemoResult {
  readonly user: { readonly email: string; readonly password: string };
  readonly teamId: string;
  readonly projectId: string;
  readonly apiKey: string;
  /** Open: a further customer may pay here. */
  readonly checkoutUrl: string;
  /** Of the customer who has the subscription. */
  readonly portalUrl: string;
  /** In the smallest unit of `currency`. */
  readonly mrr: number;
  readonly currency: string;
  readonly subscriptionId: string;
  readonly referralConverted: boolean;
  readonly webhooks: { readonly total: number; readonly processed: number; readonly failed: number };
  /** Whether it found the data of an earlier start. */
  readonly reused: boolean;
}

const DAY_MS = 86_400_000;

/**
 * Does the main job through the public API alone: a project, a sold subscription, a referral that converts, revenue
 * that shows, a portal that opens. A second start finds the first one's data and makes fresh links.
 * @throws Error that names the step that failed, and what did not happen in time
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  let step = 'starting';
  const report = (next: string) => {
    step = next;
    options.report(next);
  };
  try {
    return await playDemo({ ...options, report });
  } catch (err) {
    throw new Error(`While ${step}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
  }
}

async function playDemo(options: DemoOptions): Promise<DemoResult> {
  const { stateFile, report, deadlineMs = 30_000 } = options;
  const send = telling(options.fetch ?? fetch);
  const gatewayUrl = options.gatewayUrl.replace(/\/+$/, '');
  const processorUrl = options.processorUrl.replace(/\/+$/, '');
  const demo: Demo = { gatewayUrl, processorUrl, send, report, deadlineMs, linkMs: DAY_MS };

  const earlier = await loadState(stateFile);
  const reused = earlier !== undefined && (await findAgain(demo, earlier));
  const state = reused ? earlier : await startAnew(demo);
  const client = clientOf(demo, state);

  report('making fresh links');
  const { url: checkoutUrl } = await checkout(demo, client, state.referrerId, state.priceId);
  const { portalUrl } = await client.portal.create({ customerId: state.refereeId, ttlMs: demo.linkMs });
  const page = await send(portalUrl);
  await page.body?.cancel();
  if (page.status !== 200) throw new Error(`The portal's page answered ${page.status} instead of 200.`);
  const { mrr, referralStats, webhookStats } = await client.analytics.get();
  await saveState(stateFile, state);

  const { user, teamId, projectId, apiKey, subscriptionId } = state;
  return {
    user,
    teamId,
    projectId,
    apiKey,
    checkoutUrl,
    portalUrl,
    mrr,
    currency: 'usd',
    subscriptionId,
    referralConverted: referralStats.converted > 0,
    webhooks: webhookStats,
    reused,
  };
}

/** Names the host that can't be reached; the platform says only that it failed. */
function telling(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    try {
      return await send(input, init);
    } catch (cause) {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      throw new Error(`${origin} could not be reached.`, { cause });
    }
  };
}

async function startAnew(demo: Demo): Promise<DemoState> {
  const ready = await setUpProject(demo);
  const { price, referrer, referee, subscriptionId } = await sellSubscription(demo, clientOf(demo, ready));
  return demoState.parse({
    ...ready,
    priceId: price.id,
    referrerId: referrer.id,
    refereeId: referee.id,
    subscriptionId,
  });
}
