import {
  CustomerCreated,
  CustomerDeleted,
  CustomerUpdated,
  type CustomerState,
} from '@billing/contracts/events/customers';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
  type ReferralState,
} from '@billing/contracts/events/referrals';
import { WebhookEventsCounted } from '@billing/contracts/events/webhooks';
import { CustomerId, ReferralId, TestClockId, type ProjectScope } from '@billing/contracts/ids';
import { customerState } from '@billing/testing/customer-state';
import { newEvent } from '@billing/testing/events';
import fc from 'fast-check';
import type { RecordHistory } from './project-history.ts';

/** A customer that is updated up to twice, may be deleted, and may be on a test clock, from some time on. */
export function customerHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const drawn = {
    createdAt: time,
    deletedAt: fc.option(time),
    updates: fc.nat(2),
    occurredAt: time,
    clockedFrom: fc.option(fc.nat(3)),
  };
  return fc.record(drawn).map(({ createdAt, deletedAt, updates, occurredAt, clockedFrom }) => {
    const id = CustomerId.create();
    const last = updates + (deletedAt ? 2 : 1);
    const states = Array.from({ length: last }, (_, index): CustomerState => {
      const isDeleted = deletedAt !== null && index === last - 1;
      return customerState({
        id,
        projectId,
        email: `${index}@example.com`,
        version: index + 1,
        createdAt,
        updatedAt: createdAt,
        testClock: clockedFrom !== null && index >= clockedFrom ? { id: TestClockId.create(), now: createdAt } : null,
        deletedAt: isDeleted ? new Date(Math.max(createdAt.getTime(), deletedAt.getTime())) : null,
      });
    });
    const events = states.map((state, index) => {
      const later = state.deletedAt ? CustomerDeleted : CustomerUpdated;
      return newEvent(index === 0 ? CustomerCreated : later, teamId, state, occurredAt);
    });
    return { events, customers: states.slice(-1) };
  });
}

/** The numbers of the project's webhook events after up to four changes. */
export function webhookEventHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const step = fc.record({ total: fc.nat(), processed: fc.nat(), failed: fc.nat(), occurredAt: time });
  return fc.array(step, { maxLength: 4 }).map(steps => {
    const counts = steps.map(({ occurredAt: _at, ...numbers }) => numbers);
    const events = counts.map((numbers, index) =>
      newEvent(WebhookEventsCounted, teamId, { projectId, ...numbers, version: index + 1 }, steps[index]?.occurredAt),
    );
    return { events, webhookEvents: counts.at(-1) ?? { total: 0, processed: 0, failed: 0 } };
  });
}

let referralCodes = 0;

/** A referral code, which may be deactivated, with up to three referrals, which may convert. */
export function referralHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const drawn = {
    createdAt: time,
    isDeactivated: fc.boolean(),
    conversions: fc.array(fc.boolean(), { maxLength: 3 }),
    occurredAt: time,
  };
  return fc.record(drawn).map(({ createdAt, isDeactivated, conversions, occurredAt }) => {
    const code = `CODE${String((referralCodes += 1)).padStart(4, '0')}`;
    const customerId = CustomerId.create();
    const state = { code, customerId, projectId, isActive: true, createdAt, version: 1 };
    const referrals = conversions.map((isConverted): ReferralState => ({
      id: ReferralId.create(),
      projectId,
      code,
      referrerCustomerId: customerId,
      refereeCustomerId: CustomerId.create(),
      status: isConverted ? 'converted' : 'pending',
      createdAt,
      convertedAt: isConverted ? createdAt : null,
    }));
    const deactivated = { ...state, isActive: false, version: 2 };
    const events = [
      newEvent(ReferralCodeCreated, teamId, state, occurredAt),
      ...(isDeactivated ? [newEvent(ReferralCodeDeactivated, teamId, deactivated, occurredAt)] : []),
      ...referrals.flatMap(it => [
        newEvent(ReferralCreated, teamId, { ...it, status: 'pending', convertedAt: null }, occurredAt),
        ...(it.status === 'converted' ? [newEvent(ReferralConverted, teamId, it, occurredAt)] : []),
      ]),
    ];
    return { events, codes: 1, referrals };
  });
}
