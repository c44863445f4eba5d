import { setTimeout as delay } from 'node:timers/promises';
import type { TeamId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { closeBroker, connectBroker } from '@billing/messaging/connection';
import { openRpcClient } from '@billing/messaging/rpc';
import { semaphore } from '@billing/messaging/semaphore';
import { ROOT } from '@billing/messaging/subjects';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { openTeamProcessors, type TeamProcessors } from '@billing/processor/team-processors';
import { createLogger } from '@billing/service/logger';
import { readTerms, type SubscriptionTerms } from '../../../../services/subscriptions/src/record/subscription.rules.ts';
import { differs, type ComparedSubscription } from '../checks/processor.ts';
import type { Limits } from '../finding.ts';
import type { ReadOnlyDatabase } from './database.ts';

/** How the subscriptions service reaches the teams' accounts. */
export interface ProcessorAccess {
  /** With the service's own user. */
  readonly natsUrl: string;
  readonly serviceKey: Buffer;
  /** Undefined for Stripe itself. */
  readonly baseUrl: string | undefined;
}

/** How long a webhook may be under way before a difference counts, in milliseconds. */
const SETTLE_MS = 5_000;
const SETTLE_TIMES = 4;
/** Calls at the same time: the services' own calls for a team need room, too. */
const PARALLEL_CALLS = 4;

/** An examination is over before credentials that were replaced would matter. */
const NEVER = () => () => undefined;

/** Opens the teams' accounts as the subscriptions service does. */
export async function openProcessors(
  { natsUrl, serviceKey, baseUrl }: ProcessorAccess,
  resources: AsyncDisposableStack,
) {
  const service = 'subscriptions';
  const logger = await createLogger('doctor', { level: 'silent' });
  const broker = resources.adopt(await connectBroker({ url: natsUrl, service, logger }), closeBroker);
  const rpc = openRpcClient({ ...broker, root: ROOT });
  return resources.adopt(openTeamProcessors({ rpc, follow: NEVER, service, serviceKey, baseUrl, logger }), it =>
    it.close(),
  );
}

interface Row extends Pick<SubscriptionTerms, 'status' | 'cancelAtPeriodEnd' | 'items'> {
  readonly id: string;
  readonly teamId: TeamId;
  readonly processorSubscriptionId: string;
  readonly periodEndMs: number;
}

const COLUMNS = `id, team_id as "teamId", processor_subscription_id as "processorSubscriptionId", status,
  cancel_at_period_end as "cancelAtPeriodEnd", items,
  (extract(epoch from current_period_end) * 1000)::float8 as "periodEndMs"`;

/** What could be compared, and the subscriptions whose team's account did not respond as it should. */
export interface SampleReading {
  readonly compared: readonly ComparedSubscription[];
  readonly unread: readonly { readonly id: string; readonly why: string }[];
}

/**
 * Compares a sample of the subscriptions that have not ended with the processor, without those in `except`. One that differs is
 * read again until webhooks had time to arrive.
 */
export async function readSample(
  { query }: ReadOnlyDatabase,
  processors: TeamProcessors,
  { sample }: Limits,
  except: readonly string[],
): Promise<SampleReading> {
  const rows = await query<Row>(
    `select ${COLUMNS} from subscriptions
      where status not in ('canceled', 'incomplete_expired') and id <> all($1) order by random() limit $2`,
    [except, sample],
  );
  const readAgain = async ({ id }: Row) =>
    (await query<Row>(`select ${COLUMNS} from subscriptions where id = $1`, [id]))[0];
  const limit = semaphore(PARALLEL_CALLS);
  const compareOnceSettled = async (row: Row): Promise<ComparedSubscription | undefined> => {
    let latest = await limit(() => compare(row, processors));
    for (let time = 0; latest && differs(latest) && time < SETTLE_TIMES; time += 1) {
      await delay(SETTLE_MS);
      const again = await readAgain(row);
      latest = again && (await limit(() => compare(again, processors)));
    }
    return latest;
  };
  const outcomes = await Promise.allSettled(rows.map(compareOnceSettled));
  return {
    compared: outcomes.flatMap(it => (it.status === 'fulfilled' ? (it.value ?? []) : [])),
    unread: outcomes.flatMap((it, index) =>
      it.status === 'rejected' ? [{ id: rows[index]?.id ?? '', why: String(it.reason) }] : [],
    ),
  };
}

/** Returns undefined for a team whose account is disconnected. */
async function compare(row: Row, processors: TeamProcessors): Promise<ComparedSubscription | undefined> {
  const { id, teamId, processorSubscriptionId } = row;
  try {
    const processor = await processors.of(teamId);
    const snapshot = await processor.findSubscription(processorSubscriptionId);
    return { id, processorSubscriptionId, ...fieldsOf(row, snapshot) };
  } catch (err) {
    if (!(err instanceof Problem)) throw err;
    if (err.code === 'processor_not_connected') return undefined;
    if (err.details?.['code'] === 'resource_missing')
      return { id, processorSubscriptionId, ours: {}, processors: null };
    throw err;
  }
}

function fieldsOf(row: Row, snapshot: SubscriptionSnapshot) {
  const terms = readTerms(snapshot, {
    observedAt: new Date(),
    recorded: { status: row.status, schedule: null, discounts: [] },
  });
  // An amount that the processor does not show in the subscription's currency is not compared.
  const amounts = terms.items.map(({ unitAmount }, index) => unitAmount ?? row.items[index]?.unitAmount ?? null);
  return {
    ours: describe(row, row.items, new Date(row.periodEndMs)),
    processors: describe(
      terms,
      terms.items.map((item, index) => ({ ...item, unitAmount: amounts[index] ?? null })),
      terms.currentPeriodEnd,
    ),
  };
}

const describe = (
  { status, cancelAtPeriodEnd }: Pick<SubscriptionTerms, 'status' | 'cancelAtPeriodEnd'>,
  items: SubscriptionTerms['items'],
  periodEnd: Date,
): Record<string, string> => ({
  status,
  cancelAtPeriodEnd: String(cancelAtPeriodEnd),
  items: items
    .map(
      ({ processorPriceId, quantity, unitAmount, currency }) =>
        `${quantity} × ${processorPriceId} at ${unitAmount} ${currency}`,
    )
    .toSorted()
    .join(', '),
  currentPeriodEnd: periodEnd.toISOString(),
});
