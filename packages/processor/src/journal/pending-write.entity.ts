import { defineEntity, p } from '@mikro-orm/core';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const PendingWriteSchema = defineEntity({
  name: 'PendingWrite',
  tableName: 'pending_writes',
  uniques: [
    // Writes to one resource take turns.
    { name: 'pending_writes_one_per_resource', properties: ['resourceId'], where: 'finished_at is null' },
    {
      name: 'pending_writes_request_key_unique',
      properties: ['teamId', 'projectId', 'kind', 'requestKey'],
    },
  ],
  indexes: [{ name: 'pending_writes_due', properties: ['dueAt'], where: 'finished_at is null' }],
  properties: {
    id: p.uuid().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    kind: p.text(),
    resourceId: p.text(),
    input: p.json<unknown>(),
    /** The operation key of a request with an `Idempotency-Key`; a finished write is kept for it. */
    requestKey: p.text().strictNullable(),
    attempts: p.integer(),
    /** Until then it is in somebody's hands. */
    claimedUntil: p.datetime(),
    /** When the reconciler takes it up, if nobody holds it then. */
    dueAt: p.datetime(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().strictNullable(),
  },
});

/** A write to the processor that is on record before the processor hears of it. */
export class PendingWrite extends PendingWriteSchema.class {}
PendingWriteSchema.setClass(PendingWrite);
