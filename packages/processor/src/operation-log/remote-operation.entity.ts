import { defineEntity, p } from '@mikro-orm/core';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const RemoteOperationRowSchema = defineEntity({
  name: 'RemoteOperationRow',
  tableName: 'remote_operations',
  uniques: [
    // Operations on one resource take turns.
    { name: 'remote_operations_one_per_resource', properties: ['resourceId'], where: 'due_at is not null' },
  ],
  indexes: [
    { name: 'remote_operations_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'remote_operations_canceled', properties: ['keyClosedAt'], where: 'due_at is null' },
  ],
  properties: {
    /** The operation key. */
    id: p.text().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    kind: p.text(),
    resourceId: p.text(),
    input: p.json<unknown>(),
    /** Which of the operation's idempotency keys it is sent under, from 1. */
    keyVersion: p.integer(),
    /** When the operation was first sent under this key; null while it certainly was not. */
    sentAt: p.datetime().strictNullable(),
    /** Since when nothing is sent under this key any more. */
    keyClosedAt: p.datetime().strictNullable(),
    /** Leases so far. */
    attempts: p.integer(),
    /** When it needs work next; the end of the lease while one holds; null once it is canceled. */
    dueAt: p.datetime().strictNullable(),
    /** Proves who works on it. */
    leaseId: p.uuid().strictNullable(),
    createdAt: p.datetime(),
  },
});

/** A row of the operation log: a write to the processor that is not finished, or that was canceled within a day. */
export class RemoteOperationRow extends RemoteOperationRowSchema.class {}
RemoteOperationRowSchema.setClass(RemoteOperationRow);
