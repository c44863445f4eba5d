import { metrics } from '@opentelemetry/api';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SubscriptionId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { MigrationCounts, MigrationSkipReason } from '@billing/contracts/resources/price-migration';
import { executeBound } from '@billing/database/bound-statement';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import { findOpen } from '@billing/processor/operation-log/operation-rows';
import { openPacer, pacedProcessors } from '@billing/processor/pacing';
import { ProcessorError } from '@billing/processor/errors';
import type { PriceSnapshot } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import {
  describeFailure,
  ENDED,
  heldRows,
  isFinal,
  LEASE_SECONDS,
  MAX_FAILURES,
  workInTurns,
  type LongWork,
  type Stepped,
} from '@billing/processor/turns';
import { toMovable, type Subscription } from '#record/subscription.entity';
import { migrationKey } from '#plan-changes/change-ids';
import type { Dependencies } from '../dependencies.ts';
import { decideMigration, NotMovable } from './price-migration.rules.ts';
import {
  countFailure,
  countMigrated,
  findByIds,
  findToChange,
  findToMigrate,
  markUnchanged,
  saveDecisions,
} from './migrated-subscriptions.ts';
import { PriceMigration } from './price-migration.entity.ts';
import { migrateSubscription } from './migrate-subscription.ts';

/** Subscriptions that are decided on in one step. */
const PAGE = 500;
/** Changes of subscriptions that are under way at once. */
const MAX_PARALLEL = 8;
/** How long findings are stored; the counts of a migration stay with it. */
const FINDINGS_DAYS = 30;
/** Migrations of one run. */
const LIMIT = 100;

const MIGRATIONS: LeasedTable = {
  table: 'price_migrations',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  // One account has one limit of requests, however many projects it has.
  maxPerTeam: { ofTeam: 1, ofAll: 1_000, least: 0, isInFlight: 'lease_id is not null', weight: '1' },
  columns: `id, team_id as "teamId", project_id as "projectId", phase, after, failures, lease_id as "leaseId"`,
};

type Stage = Pick<PriceMigration, 'phase' | 'after'>;

/** A migration that this process works on. */
export type LeasedMigration = LongWork & Stage & Pick<PriceMigration, 'id'>;

/** Leases up to `limit` migrations that are due, one of each team. */
export const leaseMigrations = async (em: EntityManager, limit: number): Promise<readonly LeasedMigration[]> =>
  (await leaseRows<LeasedMigration>(em, MIGRATIONS, limit)).rows;

const updateHeld = heldRows('price_migrations');

/** What refuses every subscription alike, so that the migration fails as a whole. */
const OF_ALL: ReadonlySet<string> = new Set([
  'price_not_found',
  'price_inactive',
  'product_inactive',
  'price_type_mismatch',
  'processor_not_connected',
]);

/** Why a subscription is skipped, by the problem that its change had. */
const REASONS: Readonly<Record<string, MigrationSkipReason>> = {
  subscription_ended: 'ended',
  subscription_not_found: 'ended',
  subscription_incomplete: 'incomplete',
  subscription_paused: 'paused',
  subscription_past_due: 'past_due',
  subscription_has_schedule: 'has_schedule',
  subscription_has_several_items: 'several_items',
  subscription_set_to_cancel: 'set_to_cancel',
  currency_mismatch: 'other_currency',
  no_change: 'left_price',
};

interface RunParts extends Pick<Dependencies, 'em' | 'outbox' | 'rpc' | 'processors' | 'logger' | 'now'> {
  /** Requests to the processor a second, for each migration. */
  readonly requestsPerSecond: number;
  /** How long a migration works before those of other teams have their turn, in milliseconds. */
  readonly turnMs?: number;
}

/**
 * Works on a leased migration, to its end or for a turn. It first decides by the records, page by page and without the processor,
 * which subscriptions are to change; an apply then schedules their changes, several at once, each under an operation key of its own.
 */
export function runMigration({ requestsPerSecond, turnMs, ...dependencies }: RunParts) {
  const { em, processors, logger } = dependencies;
  const parallel = Math.min(Math.max(Math.floor(requestsPerSecond / 3), 1), MAX_PARALLEL);
  const migrated = metrics.getMeter('@billing/subscriptions').createCounter('billing.price_migration.subscriptions', {
    description: 'Subscriptions of completed price migrations by outcome.',
  });

  const stepsOf = (): ((work: LeasedMigration, stage: Stage) => Promise<Stepped<Stage>>) => {
    const pace = openPacer(requestsPerSecond);
    const paced = pacedProcessors(processors, () => pace);
    const planning = readingOnce(paced);
    const migrate = migrateSubscription({ ...dependencies, processors: paced, planning });
    const priceOf = async ({ teamId, toProcessorPriceId }: PriceMigration): Promise<PriceSnapshot> =>
      (await planning.of(teamId)).findPrice(toProcessorPriceId);

    const decide = async (migration: PriceMigration, rows: readonly Subscription[]) => {
      const { fromProcessorPriceId } = migration;
      const to = await priceOf(migration);
      const decided = rows.map(subscription => {
        return { subscription, decision: decideMigration(toMovable(subscription), { fromProcessorPriceId, to }) };
      });
      await saveDecisions(em.fork(), migration, decided);
      return decided.filter(({ decision }) => decision.outcome === 'to_change').map(({ subscription: { id } }) => id);
    };

    const find = async (migration: PriceMigration, { after }: Stage): Promise<Stage | null> => {
      const rows = await findToMigrate(em.fork(), migration, { after, limit: PAGE });
      await decide(migration, rows);
      const last = rows.at(-1);
      if (last && rows.length === PAGE) return { phase: 'find', after: last.id };
      return migration.mode === 'apply' ? { phase: 'apply', after: null } : null;
    };

    const apply = async (migration: PriceMigration): Promise<Stage | null> => {
      const ids = await findToChange(em.fork(), migration, parallel);
      if (ids.length === 0) return null;
      // What an earlier run has begun goes on, even where the subscription shows some of it.
      const begun = await findOpen(
        em.fork(),
        ids.map(id => migrationKey(migration.id, id)),
      );
      const isBegun = (id: SubscriptionId) => begun.has(migrationKey(migration.id, id));
      const rows = await findByIds(em.fork(), migration, ids);
      const undecided = rows.filter(({ id }) => !isBegun(id));
      const toChange = new Set([...ids.filter(isBegun), ...(await decide(migration, undecided))]);
      const gone = ids.filter(id => rows.every(row => row.id !== id));
      for (const subscriptionId of gone)
        await markUnchanged(em.fork(), { migrationId: migration.id, subscriptionId }, { reason: 'ended' });
      const errors = await Promise.all(
        ids.map(async subscriptionId => {
          const one = { migrationId: migration.id, subscriptionId };
          try {
            if (toChange.has(subscriptionId)) await migrate(migration, subscriptionId);
            return null;
          } catch (err) {
            return (await recordFailure(one, err)) ? null : err;
          }
        }),
      );
      const ofAll = errors.find(isOfAll);
      if (ofAll) throw ofAll;
      const [first] = errors;
      // Where every one fails, the processor may be away: then the migration waits.
      if (first && errors.every(err => err !== null)) throw first;
      return { phase: 'apply', after: null };
    };

    return async (work, stage) => {
      const migration = await em.fork().findOneOrFail(PriceMigration, { id: work.id });
      const next = stage.phase === 'find' ? await find(migration, stage) : await apply(migration);
      if (next) return { stage: next };
      await complete(work, migration);
      return 'ended';
    };
  };

  /** Records why a subscription was not changed; false when it is tried again. */
  async function recordFailure(one: Parameters<typeof markUnchanged>[1], err: unknown): Promise<boolean> {
    const reason = reasonOf(err);
    if (reason) {
      await markUnchanged(em.fork(), one, { reason });
      return true;
    }
    if (isOfAll(err)) return false;
    const isOver = isFinal(err) || (await countFailure(em.fork(), one)) > MAX_FAILURES;
    const message = 'The change failed; the log of the subscriptions service says why.';
    if (isOver) await markUnchanged(em.fork(), one, { error: describeFailure(err, message) });
    logger.warn({ err, ...one, isOver }, 'subscription not migrated');
    return isOver;
  }

  async function complete(work: LeasedMigration, { mode }: PriceMigration): Promise<void> {
    const counts = await countMigrated(em.fork(), work);
    const set = `status = 'completed', counts = $3::jsonb, ${ENDED}`;
    if (!(await updateHeld(em.fork(), work, set, [JSON.stringify(counts)]))) return;
    logger.info({ teamId: work.teamId, migrationId: work.id, mode, ...counts }, 'price migration completed');
    for (const [outcome, count] of Object.entries(counts)) migrated.add(count, { outcome, mode });
  }

  return (work: LeasedMigration, signal: AbortSignal): Promise<void> =>
    workInTurns<LeasedMigration, Stage>({
      em,
      updateHeld,
      name: 'price migration',
      failedMessage: 'The price migration failed; the log of the subscriptions service says why.',
      stageOf: ({ phase, after }) => ({ phase, after }),
      columnsOf: ({ phase, after }) => ({ phase, after }),
      step: stepsOf(),
      turnMs,
      logger,
    })(work, signal);
}

/** Returns processors that read each price and the clock once; the clock decides nothing about a change at a period's end. */
function readingOnce(processors: TeamProcessors): TeamProcessors {
  const prices = new Map<string, Promise<PriceSnapshot>>();
  const clocks = new Map<string | null, Promise<Date | null>>();
  return {
    of: async (teamId, minVersion) => {
      const processor = await processors.of(teamId, minVersion);
      return {
        ...processor,
        findPrice: id => once(prices, id, () => processor.findPrice(id)),
        readClock: (testClockId = null) => once(clocks, testClockId, () => processor.readClock(testClockId)),
      };
    },
  };
}

/** Reads a value unless it was read before; a failure is not remembered. */
function once<Key, Value>(reads: Map<Key, Promise<Value>>, key: Key, read: () => Promise<Value>): Promise<Value> {
  const reading = reads.get(key) ?? read();
  reads.set(key, reading);
  reading.catch(() => reads.delete(key));
  return reading;
}

function reasonOf(err: unknown): MigrationSkipReason | undefined {
  if (err instanceof NotMovable) return err.reason;
  return err instanceof Problem ? REASONS[err.code] : undefined;
}

/** The secret key is refused, or what is wrong is wrong with the migration. */
const isOfAll = (err: unknown): boolean =>
  err instanceof ProcessorError
    ? err.processorStatus === 401 || err.processorStatus === 403
    : err instanceof Problem && OF_ALL.has(err.code);

/** Deletes the findings of migrations that ended long ago; their counts stay. */
export async function cleanPriceMigrations(em: EntityManager): Promise<void> {
  const old = await executeBound<Pick<PriceMigration, 'id'> & { counts: MigrationCounts | null }>(
    em.fork(),
    `select id, counts from price_migrations
      where finished_at < clock_timestamp() - make_interval(days => ${FINDINGS_DAYS})
        and exists (select 1 from migrated_subscriptions where migration_id = price_migrations.id) limit ${LIMIT}`,
    [],
  );
  for (const { id, counts } of old)
    await em.fork().transactional(async tx => {
      const lasting = JSON.stringify(counts ?? (await countMigrated(tx, { id })));
      await executeBound(tx, `update price_migrations set counts = $2::jsonb where id = $1`, [id, lasting]);
      await executeBound(tx, `delete from migrated_subscriptions where migration_id = $1`, [id]);
    });
}
