import { randomBytes } from 'node:crypto';
import type { DeadLetter } from '@billing/contracts/resources/dead-letter';
import { waitFor } from '@billing/testing/wait-for';
import { ok } from './http.ts';
import { newSignedEvent, postSigned } from './signed-events.ts';
import type { Tenant } from './tenant.ts';

/** Sends an event of the project whose object nobody can read, and returns its id once it has failed. */
export async function failEvent(tenant: Tenant, type: string, object: object): Promise<string> {
  const { teamId, projectId, user, P } = tenant;
  const event = newSignedEvent(type, { ...object, metadata: { teamId, projectId } });
  await postSigned(tenant, event);
  const hasFailed = async () => {
    const { webhookEvents } = await ok(user.get(`${P}/webhook-events?status=failed`));
    return webhookEvents.some(({ id }: { readonly id: string }) => id === event.id);
  };
  await waitFor(hasFailed, { what: 'the event to fail', intervalMs: 50 });
  return event.id;
}

/** Returns an event of the project that has failed: a checkout session without a mode is invalid. */
export const newFailedEvent = (tenant: Tenant): Promise<string> =>
  failEvent(tenant, 'checkout.session.completed', {
    id: `cs_test_${randomBytes(8).toString('hex')}`,
    object: 'checkout.session',
  });

/** Returns the dead letter of a failed webhook event. On a busy machine a service may be too slow to tell its own once. */
export function deadLetterOf({ user, teamPath }: Tenant, eventId: string): Promise<DeadLetter> {
  const find = async (): Promise<DeadLetter | undefined> => {
    const { deadLetters } = await ok(user.get(`${teamPath}/dead-letters?limit=100`));
    for (const letter of deadLetters) {
      const { deadLetter } = await ok(user.get(`${teamPath}/dead-letters/${letter.id}`));
      if (deadLetter.data.eventId === eventId) return deadLetter;
    }
    return undefined;
  };
  return waitFor(find, { what: `the dead letter of ${eventId}`, intervalMs: 50 });
}

/** Returns the id of a new dead letter of the tenant's project. */
export const newDeadLetter = async (tenant: Tenant): Promise<string> =>
  (await deadLetterOf(tenant, await newFailedEvent(tenant))).id;
