import type { EntityManager } from '@mikro-orm/postgresql';
import type { SyncType } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import type { ListedObject } from '@billing/processor/port';
import { rawTableOf } from '#domain/raw-object.ts';
import { saveRoutes, subscriptionRoute } from '#persistence/routes.ts';
import { findMirrored, openTeamSchemas } from '#persistence/team-schema.ts';
import { storeSyncedObjects } from '#pipeline/store.ts';
import { compareObjects } from './decide-objects.ts';
import { updateHeld, type LeasedSync, type Step, type StepParts } from './lease-syncs.ts';
import { nextObjects, updateObjects, type StoredObject } from './object-rows.ts';
import { gone, TRAITS } from './synced-objects.ts';

/** Rows of a sync that are not handled yet: few, so that webhook events of the team don't wait long behind them. */
const MAX_OPEN = 400;
/** Objects of one step. */
const BATCH = 200;
const WAIT_MS = 100;

/**
 * Stores what differs as rows of `webhook_events`, which the pipeline has the owning service record as it does events. What is
 * handled is compared again: only what is equal by then counts as applied.
 */
export function applyBatch({ em, rpc, onStored }: Pick<StepParts, 'em' | 'rpc' | 'onStored'>): Step {
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
      await executeBound(tx, `delete from webhook_events where team_id = $1 and id = any($2::text[])`, [
        sync.teamId,
        ids,
      ]);
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
    await store(em, sync, type, confirmed);
    onStored();
    return { after: confirmed.at(-1)?.processorId ?? null };
  };
}

/** Moves objects into rows of the pipeline, all or none; a sync that is not held any more stores nothing. */
async function store(em: EntityManager, sync: LeasedSync, type: SyncType, confirmed: readonly StoredObject[]) {
  const { teamId, projectId } = sync;
  const last = await findLast(em, sync, type, confirmed);
  const objects = confirmed.flatMap(({ processorId: objectId, object: read, outcome, readMs }) => {
    const [readAt, isExtra] = [new Date(readMs), outcome === 'extra'];
    const object = isExtra ? endOf(type, objectId, readMs, last.get(objectId)) : read;
    const eventType = TRAITS[type][isExtra ? 'gone' : 'observed'];
    return object && eventType
      ? [{ id: rowIdOf(sync, type, objectId), type: eventType, objectId, object, readAt }]
      : [];
  });
  const states = objects.map(({ objectId: processorId }) => ({ processorId, state: 'applying' }) as const);
  await em.fork().transactional(async tx => {
    if (!(await updateHeld(tx, sync, 'failures = 0', []))) return;
    await storeSyncedObjects(tx, sync, objects);
    if (type === 'subscription') {
      const scope = { teamId, projectId };
      await saveRoutes(
        tx,
        objects.map(({ objectId, readAt }) =>
          subscriptionRoute({ ...scope, processorId: objectId, createdAt: readAt }),
        ),
      );
    }
    await updateObjects(tx, sync, type, states);
  });
}

/** The key of the row that carries an object. */
const rowIdOf = ({ id }: LeasedSync, type: SyncType, processorId: string): string => `${id}:${type}:${processorId}`;

/** What the event of an object's end would carry, or only that it is gone where its last state is not known. */
function endOf(type: SyncType, id: string, readMs: number, last: object | undefined): ListedObject {
  if (!last) return { id, object: type, deleted: true };
  if (type !== 'subscription') return { ...last, id, object: type };
  const endedAt = Math.floor(readMs / 1_000);
  return { ...last, id, status: 'canceled', ended_at: endedAt, canceled_at: endedAt };
}

/** The last state in the team's schema of objects that are gone. */
async function findLast(em: EntityManager, { teamId }: LeasedSync, type: SyncType, objects: readonly StoredObject[]) {
  const extras = objects.filter(({ outcome }) => outcome === 'extra').map(({ processorId }) => processorId);
  if (extras.length === 0 || type === 'customer' || type === 'invoice') return new Map<string, object>();
  await openTeamSchemas(em).ensure([teamId]);
  return findMirrored(em, teamId, rawTableOf(TRAITS[type].observed), extras);
}

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
            case when status <> 'received' then payload #> '{data,object}' end as object
       from webhook_events where sync_id = $1`,
    [id],
  );
  const handled = rows.filter(({ isOpen }) => !isOpen);
  return { open: rows.length - handled.length, handled };
}
