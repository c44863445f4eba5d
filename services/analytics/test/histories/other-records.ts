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
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import { CustomerId, ReferralId, type ProjectScope } from '@billing/contracts/ids';
import { WEBHOOK_EVENT_STATUSES } from '@billing/contracts/resources/webhook-event';
import { newEvent } from '@billing/testing/events';
import fc from 'fast-check';
import { webhookEvent } from '../states.ts';
import type { RecordHistory } from './project-history.ts';

/** A customer that is updated up to twice and may be deleted. */
export function customerHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const drawn = { createdAt: time, deletedAt: fc.option(time), updates: fc.nat(2), occurredAt: time };
  return fc.record(drawn).map(({ createdAt, deletedAt, updates, occurredAt }) => {
    const id = CustomerId.create();
    const last = updates + (deletedAt ? 2 : 1);
    const states = Array.from({ length: last }, (_, index): CustomerState => {
      const isDeleted = deletedAt !== null && index === last - 1;
      return {
        id,
        projectId,
        email: `${index}@example.com`,
        name: null,
        processorCustomerId: 'cus_1',
        externalId: null,
        linkedToExisting: false,
        balance: null,
        version: index + 1,
        createdAt,
        deletedAt: isDeleted ? new Date(Math.max(createdAt.getTime(), deletedAt.getTime())) : null,
      };
    });
    const events = states.map((state, index) => {
      const later = state.deletedAt ? CustomerDeleted : CustomerUpdated;
      return newEvent(index === 0 ? CustomerCreated : later, teamId, state, occurredAt);
    });
    return { events, customers: states.slice(-1) };
  });
}

let webhookEvents = 0;

/** A webhook event of one to four versions, each routed to the project or to none. */
export function webhookEventHistory(
  { teamId, projectId }: ProjectScope,
  time: fc.Arbitrary<Date>,
): fc.Arbitrary<RecordHistory> {
  const step = fc.record({
    status: fc.constantFrom(...WEBHOOK_EVENT_STATUSES),
    isRouted: fc.boolean(),
    occurredAt: time,
  });
  return fc.array(step, { minLength: 1, maxLength: 4 }).map(steps => {
    const id = `evt_${(webhookEvents += 1)}`;
    const states = steps.map(({ status, isRouted }, index) =>
      webhookEvent(id, { teamId, projectId: isRouted ? projectId : null }, { status, version: index + 1 }),
    );
    const events = states.map((state, index) =>
      newEvent(WebhookEventChanged, teamId, { webhookEvents: [state] }, steps[index]?.occurredAt),
    );
    return { events, webhookEvents: states.slice(-1).filter(it => it.projectId !== null) };
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
