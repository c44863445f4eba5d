import { defineEntity, p } from '@mikro-orm/core';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

const UsageQueueSchema = defineEntity({
  name: 'UsageQueue',
  tableName: 'usage_queues',
  indexes: [
    { name: 'usage_queues_due', properties: ['teamId', 'dueAt'] },
    { name: 'usage_queues_leased', properties: ['dueAt'], where: 'lease_id is not null' },
  ],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    projectId: p.text().primary().$type<ProjectId>(),
    customerId: p.text().primary().$type<CustomerId>(),
    meter: p.text().primary(),
    dueAt: p.datetime(),
    leaseId: p.uuid().strictNullable(),
    /** Failures one after another. */
    failures: p.integer(),
  },
});

/** A customer and a meter with pending usage, which is sent in its order. */
export class UsageQueue extends UsageQueueSchema.class {}
UsageQueueSchema.setClass(UsageQueue);

const UsageCheckSchema = defineEntity({
  name: 'UsageCheck',
  tableName: 'usage_checks',
  indexes: [{ name: 'usage_checks_due', properties: ['teamId', 'dueAt'] }],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    lastSentAt: p.datetime(),
    /** Until when what was refused later has been read: what was sent before the row was there is not. */
    readAt: p.datetime().strictNullable(),
    dueAt: p.datetime(),
    leaseId: p.uuid().strictNullable(),
  },
});

/** A team that has sent usage lately, of which the processor may refuse some later. */
export class UsageCheck extends UsageCheckSchema.class {}
UsageCheckSchema.setClass(UsageCheck);
