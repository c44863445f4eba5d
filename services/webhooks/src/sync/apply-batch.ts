import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncType } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import type { Outbox } from '@billing/messaging/outbox';
import type { ListedObject } from '@billing/processor/port';
import { countChanges } from '#pipeline/event-totals';
import { saveRoutes, subscriptionRoute } from '#pipeline/route-rows';
import { storeSyncedObjects } from '#receipt/store';
import { countBytes, ROW_BYTES } from '../stored-bytes.ts';
import { compareObjects } from './decide-objects.ts';
import { updateHeld, type LeasedSync, type Step, type StepParts } from './lease-syncs.ts';
import { nextObjects, updateObjects, type StoredObject } from './object-rows.ts';
import { findLastStates } from './last-states.ts';
import { endOf, gone, TRAITS } from './synced-objects.rules.ts';

/** Rows of a sync that are not handled yet: few, so that webhook events of the team don't wait long behind them. */
const MAX_OPEN = 400;
/** Objects of one step. */
const BATCH = 200;
const WAIT_MS = 100;

/**
 * Stores what differs as rows of `webhook_events`, which the pipeline has the owning service record as it does events. What is
 * handled is compared again: only what is equal by then counts as applied.
 */
export function applyBatch({
  outbox,
  rpc,
  onStored,
}: Pick<StepParts, 'rpc' | 'onStored'> & { readonly outbox: Outbox }): Step {
  const { em } = outbox;
  const verify = async (sync: LeasedSync, type: SyncType, handled: readonly HandledRow[]): Promise<void> => {
    const objects = handled.map(({ processorId, isExtra, object }) => (isExtra ? gone(processorId) : object));
    const comparisons = await compareObjects(rpc, sync, type, objects);
    const verified = handled.map(({ processorId, error }, index) => {
      const { outcome = null, id: recordId = null } = comparisons[index] ?? {};
      const applied = outcome === 'same';
      const reason = applied ? null : (error ?? 'the record is newer, or another rule keeps it');
      return { processorId, state: 'done', recordId, applied, reason } as const;
    });
    await em.fork().transactional(async tx => {
      await updateObjects(tx, sync, type, verified);
      const ids = handled.map(({ processorId }) => rowIdOf(sync, type, processorId));
      await executeBound(
        tx,
        `with deleted as (
           delete from webhook_events where team_id = $1 and id = any($2::text[])
           returning team_id, 'syncs' as store, -(${ROW_BYTES.webhook_events} + payload_bytes) as bytes)
         ${countBytes('deleted')}`,
        [sync.teamId, ids],
      );
    });
  };

  return async (sync, { type, after }) => {
    const { open, handled } = await findRows(em, sync);
    if (handled.length > 0) {
      await verify(sync, type, handled);
      return {};
    }
    if (open + BATCH > MAX_OPEN) return { waitMs: WAIT_MS };
    const confirmed = await nextObjects(em, sync, type, { state: 'confirmed', limit: BATCH, after });
    if (confirmed.length === 0) return open === 0 ? 'done' : { waitMs: WAIT_MS };
    await store(outbox, sync, type, confirmed);
    onStored();
    return { after: confirmed.at(-1)?.processorId ?? null };
  };
}

/** Moves objects into rows of the pipeline, all or none; a sync that is not held any more stores nothing. */
async function store(outbox: Outbox, sync: LeasedSync, type: SyncType, confirmed: readonly StoredObject[]) {
  const { teamId, projectId } = sync;
  const extras = confirmed.filter(({ outcome }) => outcome === 'extra').map(({ processorId }) => processorId);
  const last = await findLastStates(outbox.em, teamId, type, extras);
  const objects = confirmed.flatMap(({ processorId: objectId, object: read, outcome, readMs }) => {
    const [readAt, isExtra] = [new Date(readMs), outcome === 'extra'];
    const object = isExtra ? endOf(type, objectId, readMs, last.get(objectId)) : read;
    const eventType = TRAITS[type][isExtra ? 'gone' : 'observed'];
    return object && eventType
      ? [{ id: rowIdOf(sync, type, objectId), type: eventType, objectId, object, readAt }]
      : [];
  });
  const states = objects.map(({ objectId: processorId }) => ({ processorId, state: 'applying' }) as const);
  const routes = (type === 'subscription' ? objects : []).map(({ objectId: processorId, readAt: createdAt }) =>
    subscriptionRoute({ teamId, projectId, processorId, createdAt }),
  );
  await outbox.transaction(async (tx, publish) => {
    if (!(await updateHeld(tx, sync, 'failures = 0', []))) return;
    await storeSyncedObjects(tx, sync, objects);
    const woken = await saveRoutes(tx, routes);
    await updateObjects(tx, sync, type, states);
    await countChanges(tx, publish, woken);
  });
}

/** The key of the row that carries an object. */
const rowIdOf = ({ id }: LeasedSync, type: SyncType, processorId: string): string => `${id}:${type}:${processorId}`;

interface HandledRow {
  readonly processorId: string;
  readonly isExtra: boolean;
  /** Why the owning service could not record it; null if it did. */
  readonly error: string | null;
  readonly object: ListedObject;
}

/** The rows of a sync that the pipeline has completed, and how many it has not. */
async function findRows(em: EntityManager, { id }: LeasedSync) {
  const rows = await executeBound<HandledRow & { readonly isOpen: boolean }>(
    em.fork(),
    `select object_id as "processorId", status = 'received' as "isOpen", type like '%.deleted' as "isExtra",
            case when status = 'failed' then coalesce(error, 'failed') end as error,
            case when status <> 'received' then payload::json #> '{data,object}' end as object
       from webhook_events where sync_id = $1`,
    [id],
  );
  const handled = rows.filter(({ isOpen }) => !isOpen);
  return { open: rows.length - handled.length, handled };
}
