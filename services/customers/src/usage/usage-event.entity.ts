import { defineEntity, p } from '@mikro-orm/core';
import type { UsageState } from '@billing/contracts/events/usage';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { USAGE_STATUSES, type Usage } from '@billing/contracts/resources/usage';

const BY_CREATION = ['teamId', 'projectId', 'createdAt', 'id'] as const;

const UsageEventSchema = defineEntity({
  name: 'UsageEvent',
  tableName: 'usage_events',
  indexes: [
    { name: 'usage_events_newest', properties: [...BY_CREATION] },
    { name: 'usage_events_not_sent', properties: [...BY_CREATION], where: `status <> 'sent'` },
    { name: 'usage_events_of_customer', properties: ['teamId', 'projectId', 'customerId', 'createdAt', 'id'] },
    {
      name: 'usage_events_pending',
      properties: ['teamId', 'projectId', 'customerId', 'meter', 'position'],
      where: `status = 'pending'`,
    },
    { name: 'usage_events_by_identifier', properties: ['teamId', 'identifier'] },
    { name: 'usage_events_old', properties: ['createdAt'], where: `status <> 'pending'` },
  ],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    projectId: p.text().primary().$type<ProjectId>(),
    /** The caller's own. */
    id: p.text().primary(),
    /** The order in which events were accepted. */
    position: p.bigint('number').autoincrement(),
    customerId: p.text().$type<CustomerId>(),
    meter: p.text(),
    value: p.bigint('number'),
    at: p.datetime(),
    status: p.enum(USAGE_STATUSES),
    reason: p.json<Usage['reason']>().strictNullable(),
    /** The processor's. */
    identifier: p.text(),
    /** Counts the idempotency keys under which the processor has failed. */
    keyVersion: p.integer(),
    createdAt: p.datetime(),
    /** When it was sent first, whatever became of that. */
    firstSentAt: p.datetime().strictNullable(),
    /** When the processor took it. */
    sentAt: p.datetime().strictNullable(),
  },
});

export class UsageEvent extends UsageEventSchema.class {}
UsageEventSchema.setClass(UsageEvent);

/** Returns usage as callers see it. */
export const toResource = (row: UsageEvent): Usage => {
  const { id, customerId, meter, value, at, status, reason, createdAt, sentAt } = row;
  return { id, customerId, meter, value, at, status, reason, createdAt, sentAt };
};

export const toState = (row: UsageEvent): UsageState => ({ ...toResource(row), projectId: row.projectId });
