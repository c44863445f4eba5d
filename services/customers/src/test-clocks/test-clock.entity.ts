import { defineEntity, p } from '@mikro-orm/core';
import type { TestClockId } from '@billing/contracts/ids';
import type { ClockTarget } from '@billing/contracts/resources/test-clock';
import type { SyncError } from '@billing/contracts/resources/sync';
import { mirroredProperties, uniqueProcessorId, type Mirrored } from '@billing/service/mirrored-rows';

/** What `turns.ts` calls `queued` and `running` is advancing. */
export type ClockStatus = 'ready' | 'queued' | 'running' | 'failed';

const TestClockSchema = defineEntity({
  name: 'TestClock',
  tableName: 'test_clocks',
  uniques: [uniqueProcessorId('test_clocks')],
  indexes: [
    { name: 'test_clocks_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'test_clocks_due', properties: ['teamId', 'dueAt'], where: 'due_at is not null' },
  ],
  properties: {
    id: p.text().primary().$type<TestClockId>(),
    ...mirroredProperties(),
    name: p.text(),
    /** The time there, by which everything is recorded here. */
    time: p.datetime(),
    /** Where it advances to; null when it does not. */
    target: p.datetime().strictNullable(),
    /** What it advances to, where no time was given; the target may move on for it. */
    until: p.text().$type<ClockTarget>().strictNullable(),
    /** The operation key of its last advance. */
    operationKey: p.uuid().strictNullable(),
    status: p.text().$type<ClockStatus>(),
    error: p.json<SyncError>().strictNullable(),
    deletesAt: p.datetime(),
    startedAt: p.datetime().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
    dueAt: p.datetime().strictNullable(),
    leaseId: p.uuid().strictNullable(),
    failures: p.integer(),
  },
});

/** A test clock of the processor. */
export class TestClock extends TestClockSchema.class {}
TestClockSchema.setClass(TestClock);

/** A clock that exists at the processor too. */
export type LinkedClock = Mirrored<TestClock>;
