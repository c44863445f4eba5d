import type { EntityManager } from '@mikro-orm/postgresql';
import { processorEvent, processorEventJson, type ProcessorEventType } from '@billing/contracts/processor-events';
import type { SyncType } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import { publicationId } from '@billing/messaging/publication-id';
import { encode } from '@billing/messaging/message-body';
import { currentTrace } from '@billing/tracing/trace-carrier';
import type { ListedObject } from '@billing/processor/port';
import { API_VERSION } from '@billing/processor/stripe-client';
import { MAX_BYTES_ON_BUS } from '#pipeline/publish.ts';
import { teamSchemaName } from '#domain/raw-object.ts';
import { saveRoutes } from '#persistence/routes.ts';
import { mirrorObjects } from '#pipeline/mirror.ts';
import { findSent, nextObjects, saveDecisions, type StoredObject } from './object-rows.ts';
import type { LeasedSync } from './lease-syncs.ts';
import type { Step, StepParts } from './step.ts';
import { detailsOf, observationId, rawTableOfType, TRAITS } from './synced-objects.ts';

/** Objects that are on the bus and not handled: few, so that the events of other teams don't wait behind them. */
const WINDOW = 400;
/** Objects that are published at once: the owning service handles one portion while the next one is on its way. */
const PORTION = 200;
const WAIT_MS = 20;
/** After this time without an outcome an object is published again under its id, in milliseconds. */
const RESEND_MS = 30_000;

/** What a sync read of an object, as the owning service gets it. */
interface Observation {
  readonly stored: StoredObject;
  readonly type: ProcessorEventType;
  readonly object: ListedObject;
}

/**
 * Publishes what differs to the owning service, on the way of webhook events: the object goes into the team's schema and
 * its event onto the bus, and the outcome comes back with `processor-event.completed`. Resolves `done` when each has one.
 */
export function applyBatch({ em, publish, schemas }: Pick<StepParts, 'em' | 'publish' | 'schemas'>): Step {
  const send = async (sync: LeasedSync, type: SyncType, observations: readonly Observation[]): Promise<void> => {
    await Promise.all(
      observations.map(observation => {
        const message = toMessage(sync, type, observation);
        return publish(message.type, encode(message), message.id, message.trace);
      }),
    );
  };

  const record = async (sync: LeasedSync, type: SyncType, observations: readonly Observation[]): Promise<void> => {
    const { teamId, projectId } = sync;
    await em.fork().transactional(async tx => {
      await mirrorObjects(
        tx,
        observations.map(({ stored, type: eventType, object }) => ({
          teamId,
          type: eventType,
          createdAt: stored.readAt,
          objectId: stored.processorId,
          object: JSON.stringify(object),
          isFinal: detailsOf(type, object).isFinal,
        })),
      );
      if (type === 'subscription')
        await saveRoutes(
          tx,
          observations.map(({ stored: { processorId: resourceId, readAt: createdAt } }) => {
            const reference = { kind: 'subscription', id: resourceId } as const;
            return { teamId, resourceId, reference, projectId, version: 1, createdAt, deleted: false };
          }),
        );
      await saveSent(tx, sync, type, observations.map(idOf));
    });
  };

  const sendAgain = async (sync: LeasedSync, type: SyncType): Promise<void> => {
    const overdue = await nextObjects(em, sync, type, { state: 'sent', limit: WINDOW, isDue: true });
    const observations = await toObservations(em, sync, type, overdue);
    await saveSent(em.fork(), sync, type, observations.map(idOf));
    await send(sync, type, observations);
  };

  /** Stripe's ids of what this process knows to be on the bus; at first it does not. */
  let open: readonly string[] | undefined;
  return async (sync, { type, after }) => {
    await schemas.ensure([sync.teamId]);
    const sent = await findSent(em, sync, type, open);
    open = sent.map(({ processorId }) => processorId);
    if (sent.some(({ isDue }) => isDue)) await sendAgain(sync, type);

    const hasRoom = open.length + PORTION <= WINDOW;
    const confirmed = hasRoom ? await nextObjects(em, sync, type, { state: 'confirmed', limit: PORTION, after }) : [];
    if (confirmed.length === 0) return open.length === 0 ? { next: 'done' } : { next: 'again', waitMs: WAIT_MS };
    const observations = await toObservations(em, sync, type, confirmed);
    await saveUnknown(em, sync, type, confirmed, observations);
    if (observations.length > 0) await record(sync, type, observations);
    await send(sync, type, observations);
    open = [...open, ...observations.map(idOf)];
    return { next: 'again', after: confirmed.at(-1)?.processorId ?? null };
  };
}

const idOf = ({ stored }: Observation): string => stored.processorId;

/** Without those whose last state is nowhere known. */
async function toObservations(em: EntityManager, sync: LeasedSync, type: SyncType, objects: readonly StoredObject[]) {
  const { observed, gone } = TRAITS[type];
  const extras = objects.filter(({ outcome }) => outcome === 'extra');
  const last = await findMirrored(em, sync, type, extras);
  return objects.flatMap((stored): Observation[] => {
    if (stored.outcome !== 'extra') return stored.object ? [{ stored, type: observed, object: stored.object }] : [];
    const object = endOf(type, stored, last.get(stored.processorId));
    return object ? [{ stored, type: gone, object }] : [];
  });
}

/** What the event of an object's end would carry. */
function endOf(
  type: SyncType,
  { processorId: id, readAt }: StoredObject,
  last: object | undefined,
): ListedObject | null {
  if (type === 'customer') return { id, object: 'customer', deleted: true };
  if (!last) return null;
  const endedAt = Math.floor(readAt.getTime() / 1_000);
  if (type === 'subscription') return { ...last, id, status: 'canceled', ended_at: endedAt, canceled_at: endedAt };
  return type === 'invoice' ? { ...last, id, status: 'void' } : { ...last, id };
}

/** The last state of objects in the team's schema. */
async function findMirrored(
  em: EntityManager,
  { teamId }: LeasedSync,
  type: SyncType,
  objects: readonly StoredObject[],
): Promise<ReadonlyMap<string, object>> {
  if (objects.length === 0 || type === 'customer') return new Map();
  const schema = em.getPlatform().quoteIdentifier(teamSchemaName(teamId));
  const rows = await executeBound<{ id: string; data: object }>(
    em.fork(),
    `select id, data from ${schema}.${rawTableOfType(type)} where id = any($1::text[])`,
    [objects.map(({ processorId }) => processorId)],
    { isDynamic: true },
  );
  return new Map(rows.map(({ id, data }) => [id, data]));
}

/** Ends the work on objects that can't be published. */
async function saveUnknown(
  em: EntityManager,
  { id }: LeasedSync,
  type: SyncType,
  confirmed: readonly StoredObject[],
  observations: readonly Observation[],
): Promise<void> {
  const known = new Set(observations.map(({ stored }) => stored));
  const unknown = confirmed.filter(stored => !known.has(stored));
  const reason = 'its last state at the processor is not known here';
  await saveDecisions(
    em.fork(),
    id,
    type,
    unknown.map(stored => ({ ...stored, state: 'done', reason })),
  );
}

async function saveSent(em: EntityManager, { id }: LeasedSync, type: SyncType, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await executeBound(
    em,
    `update sync_objects set state = 'sent', due_at = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
      where sync_id = $1 and type = $2 and processor_id = any($3::text[]) and state in ('confirmed', 'sent')`,
    [id, type, ids, RESEND_MS],
  );
}

function toMessage({ id, teamId, projectId }: LeasedSync, type: SyncType, { stored, type: name, object }: Observation) {
  const eventId = observationId(id, type, stored.processorId);
  const json = JSON.stringify(object);
  // What ends a record is made here and stored nowhere, so it cannot be read later.
  const isOmitted = stored.object !== null && Buffer.byteLength(json) > MAX_BYTES_ON_BUS;
  const head = {
    eventId,
    projectId,
    apiVersion: API_VERSION,
    livemode: object['livemode'] === true,
    createdAt: stored.readAt,
    routedBy: 'known-id',
    fromSync: true,
  } as const;
  return {
    id: publicationId({ teamId, eventId, projectId, replays: 0 }),
    type: processorEvent(name).name,
    teamId,
    data: isOmitted
      ? processorEventJson({ ...head, objectOmitted: true }, JSON.stringify({ id: stored.processorId }), null)
      : processorEventJson(head, json, null),
    trace: currentTrace(),
    occurredMs: Date.now(),
  };
}
