import type { PublicEventContent } from '@billing/contracts/events/public-data';
import { CustomerId, WebhookEndpointId } from '@billing/contracts/ids';
import { openKeyRing } from '@billing/processor/key-ring';
import { recordEventOf } from '@billing/testing/record-events';
import { newEndpointSecret } from '../src/outgoing/sent-signature.rules.ts';
import { saveEndpointSecret } from '../src/outgoing/endpoint-secrets.ts';
import { openSealedSecrets } from '../src/accounts/sealed-secrets.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

/** A change of a customer, as its service publishes it. */
export const customerChange = (
  { projectId }: Pick<Team, 'projectId'>,
  id: CustomerId,
  sequence: number,
  more: Partial<PublicEventContent> = {},
): PublicEventContent => ({
  projectId,
  type: sequence === 1 ? 'customer.created' : 'customer.updated',
  object: { type: 'customer', id, sequence },
  at: new Date(),
  cause: { type: 'api', requestId: 'req_1', processorEventId: null },
  data: { id, name: `Ada ${sequence}` },
  previousAttributes: sequence === 1 ? null : { name: `Ada ${sequence - 1}` },
  ...more,
});

/** So many changes of each of so many customers. */
export const customerHistory = (team: Pick<Team, 'projectId'>, objects: number, length: number): PublicEventContent[] =>
  Array.from({ length: objects }, () => CustomerId.create()).flatMap(id =>
    Array.from({ length }, (_, index) => customerChange(team, id, index + 1)),
  );

export type OutgoingSteps = ReturnType<typeof outgoingSteps>;

/** What tests of deliveries do to a service. */
export const outgoingSteps = (service: WebhooksService) => ({
  /** Has changes published. */
  emit: (team: Team, ...changes: readonly PublicEventContent[]) =>
    service.emit(...changes.map(change => recordEventOf(team.teamId, change))),

  /** Calls an operation as a member of the team. */
  call: (
    team: Team,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ) =>
    service.call(method, path, {
      of: team,
      as: service.identity.asUser(team),
      ...(body && { body }),
      ...(headers && { headers }),
    }),

  /** Has the creation of a customer published, and returns its event once it is recorded. */
  async newEventOf(team: Team, at = new Date()) {
    const id = CustomerId.create();
    await this.emit(team, customerChange(team, id, 1, { at, data: { id } }));
    return (await this.call(team, 'GET', `/events?objectId=${id}`)).body.events[0];
  },

  /** Makes an endpoint that begins with the first event of the project. */
  async newEndpoint(team: Team, url: string, more: { eventTypes?: string[]; maxConcurrency?: number } = {}) {
    const id = WebhookEndpointId.create();
    const secret = newEndpointSecret();
    await service.sql(
      `insert into webhook_endpoints (id, team_id, project_id, url, event_types, max_concurrency, include_sync, api_version,
         status, failures, has_failed_two_objects, position, wanted_position, created_at, updated_at)
       values (?, ?, ?, ?, ?, ?, false, '2026-12-01', 'enabled', 0, false, 0, 0, now(), now())`,
      [id, team.teamId, team.projectId, url, `{${(more.eventTypes ?? ['*']).join(',')}}`, more.maxConcurrency ?? 10],
    );
    const keyRing = openKeyRing(`1:${service.credentialsKey.toString('base64')}`);
    const sealed = openSealedSecrets({ keyRing, logger: service.logger });
    await service.em
      .fork()
      .transactional(tx => saveEndpointSecret(tx, sealed, { id, teamId: team.teamId }, { id, secret }));
    return { id, secret };
  },

  /** Lets the pauses of everything that waits for an endpoint end. */
  async endPauses(id: string) {
    await service.sql(
      `update webhook_deliveries set next_attempt_at = now() where endpoint_id = ? and next_attempt_at > now()`,
      [id],
    );
    await service.sql(
      `update webhook_endpoints set calls = calls + 1, due_at = case when lease_id is null then now() else due_at end
        where id = ?`,
      [id],
    );
  },

  /** Takes an endpoint from the process that sends to it, as if that had died. */
  takeAway: (id: string) =>
    service.sql(`update webhook_endpoints set lease_id = null, due_at = now() where id = ? and lease_id is not null`, [
      id,
    ]),
});

interface DeliveringOptions {
  /** A clock, in place of the machine's. */
  readonly now?: () => Date;
  /** The pace of a team; so many that none waits, unless given. */
  readonly perSecond?: number;
}

/** Starts the webhooks service for tests that deliver to receivers on this machine. */
export async function startDelivering({ perSecond = 10_000, ...clock }: DeliveringOptions = {}) {
  const env = {
    SYNC_NIGHTLY: 'off',
    WEBHOOKS_ALLOW_ADDRESSES: '127.0.0.0/8',
    WEBHOOKS_DELIVERIES_PER_SECOND: `${perSecond}`,
  };
  const service = await startWebhooks({ reconciler: false, env, ...clock });
  return { service, steps: outgoingSteps(service) };
}
