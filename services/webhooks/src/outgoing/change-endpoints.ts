import { createHash, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WebhookEndpointId, type ProjectScope } from '@billing/contracts/ids';
import { invalid, unprocessable } from '@billing/contracts/problem';
import type { AuditChange, AuditContext, AuditValue } from '@billing/contracts/resources/audit-entry';
import { EVENT_API_VERSION } from '@billing/contracts/resources/event';
import type {
  WebhookEndpoint as EndpointResource,
  webhookEndpointCreate,
  webhookEndpointUpdate,
} from '@billing/contracts/resources/webhook-endpoint';
import type { Outbox } from '@billing/messaging/outbox';
import { changesOf, recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import type { z } from 'zod';
import type { SealedSecrets } from '#accounts/sealed-secrets';
import { NEW_ENDPOINT, switched } from './endpoint-health.rules.ts';
import { endpointKey } from './sent-signature.rules.ts';
import { hostOf, refusalOf, refusalOfAddresses, type AllowedTargets } from './sent-urls.rules.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';
import { callEndpoint } from './endpoint-rows.ts';
import { deleteEndpointSecrets, saveEndpointSecret } from './endpoint-secrets.ts';
import type { Resolve } from './resolve-names.ts';
import { lockEndpoint, showEndpoint } from './show-endpoints.ts';

/** Endpoints of a project. */
const QUOTA = 20;

interface Parts {
  readonly outbox: Outbox;
  readonly sealed: Pick<SealedSecrets, 'seal' | 'openIfPossible'>;
  readonly allowed: AllowedTargets;
  readonly resolve: Resolve;
  readonly now: () => Date;
}

interface WithSecret {
  readonly webhookEndpoint: EndpointResource;
  readonly secret: string;
}

/**
 * Creates an endpoint, which gets the events from now on. The same operation key gives the same endpoint and secret.
 * @throws Problem 400 for a secret that is none; 422 `webhook_url_not_allowed`, `quota_exceeded`
 */
export function createEndpoint({ outbox, sealed, now, ...targets }: Parts) {
  return async (
    { teamId, projectId }: ProjectScope,
    { url, secret: given, enabled, description, ...wanted }: z.output<typeof webhookEndpointCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<WithSecret> => {
    await requireAllowed(url, targets);
    if (given !== undefined && !endpointKey(given))
      throw invalid([{ path: 'secret', message: 'Expected `whsec_` and base64 of 24 to 64 bytes.' }]);
    return outbox.transaction(async (tx, publish) => {
      const id = derivedId(WebhookEndpointId, operationKey, 'webhook-endpoint');
      const position = await lockPosition(tx, { teamId, projectId });
      const secretId = secretIdOf(id, operationKey);
      const existing = await tx.findOne(WebhookEndpoint, { id, teamId, projectId });
      const count = await tx.count(WebhookEndpoint, { teamId, projectId });
      if (!existing && count >= QUOTA)
        throw unprocessable('quota_exceeded', `A project has at most ${QUOTA} endpoints.`, {
          quota: 'webhook_endpoints',
          limit: QUOTA,
        });
      const endpoint =
        existing ??
        tx.create(WebhookEndpoint, {
          id,
          teamId,
          projectId,
          url,
          description: description || null,
          ...wanted,
          apiVersion: EVENT_API_VERSION,
          ...(enabled ? NEW_ENDPOINT : switched(NEW_ENDPOINT, false)),
          position,
          wantedPosition: position,
          dueAt: null,
          leaseId: null,
          calls: 0,
          sequence: 0,
          createdAt: now(),
          updatedAt: now(),
        });
      await tx.flush();
      const { secret } = await saveEndpointSecret(tx, sealed, endpoint, { id: secretId, secret: given });
      if (!existing) {
        const changes = changesOf(null, { url, eventTypes: wanted.eventTypes, enabled }).map(maskedChange);
        recordAudit(publish, teamId, context, { target: { type: 'webhook_endpoint', id }, changes });
      }
      return { webhookEndpoint: await showEndpoint(tx, endpoint), secret };
    });
  };
}

/**
 * Changes an endpoint. Enabled again, it gets what it missed, or with `resumeFrom: now` only what comes from now on.
 * @throws Problem 404; 422 `webhook_url_not_allowed`
 */
export function updateEndpoint({ outbox, now, ...targets }: Parts) {
  return async (
    scope: ProjectScope,
    id: WebhookEndpointId,
    { enabled, resumeFrom, ...wanted }: z.output<typeof webhookEndpointUpdate>,
    context: AuditContext,
  ): Promise<EndpointResource> => {
    if (wanted.url !== undefined) await requireAllowed(wanted.url, targets);
    return outbox.transaction(async (tx, publish) => {
      const position = await lockPosition(tx, scope);
      const endpoint = await lockEndpoint(tx, scope, id);
      const before = Object.assign({}, endpoint, { enabled: endpoint.status !== 'disabled' });
      const wasDisabled = endpoint.status === 'disabled';
      const fields = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      Object.assign(endpoint, fields, enabled === undefined ? {} : switched(endpoint, enabled));
      if (enabled === true && wasDisabled) {
        if (resumeFrom === 'now') await skipMissed(tx, endpoint, position);
        endpoint.wantedPosition = position;
      }
      // Who has the lease of one that is disabled or was writes nothing more: it would be disabled again.
      if (wasDisabled || endpoint.status === 'disabled') Object.assign(endpoint, { dueAt: null, leaseId: null });
      const changes = changesOf(before, { ...wanted, enabled }).map(maskedChange);
      if (changes.length > 0) endpoint.updatedAt = now();
      await tx.flush();
      // One that fails is tried with what was changed.
      await callEndpoint(tx, endpoint);
      recordAudit(publish, scope.teamId, context, { target: { type: 'webhook_endpoint', id }, changes });
      return showEndpoint(tx, endpoint);
    });
  };
}

/**
 * Deletes an endpoint; what waits for it is not sent, and its deliveries are shown no more.
 * @throws Problem 404
 */
export function deleteEndpoint({ outbox }: Pick<Parts, 'outbox'>) {
  return (scope: ProjectScope, id: WebhookEndpointId, context: AuditContext): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      const endpoint = await lockEndpoint(tx, scope, id);
      await deleteEndpointSecrets(tx, endpoint);
      await tx.execute(`delete from recoveries where endpoint_id = ? and team_id = ?`, [id, scope.teamId]);
      tx.remove(endpoint);
      recordAudit(publish, scope.teamId, context, { target: { type: 'webhook_endpoint', id }, changes: [] });
    });
}

/**
 * Replaces the secret of an endpoint; the old one signs too for `overlapMs`.
 * @throws Problem 404; 422 `secret_rotation_limit`
 */
export function rotateSecret({ outbox, sealed, now }: Pick<Parts, 'outbox' | 'sealed' | 'now'>) {
  return (
    scope: ProjectScope,
    id: WebhookEndpointId,
    overlapMs: number,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<WithSecret> =>
    outbox.transaction(async (tx, publish) => {
      const endpoint = await lockEndpoint(tx, scope, id);
      const secretId = secretIdOf(id, operationKey);
      const { secret, isNew } = await saveEndpointSecret(tx, sealed, endpoint, { id: secretId, overlapMs });
      if (isNew) endpoint.updatedAt = now();
      await tx.flush();
      const changes = [{ field: 'secret', from: null, to: null }];
      recordAudit(publish, scope.teamId, context, { target: { type: 'webhook_endpoint', id }, changes });
      return { webhookEndpoint: await showEndpoint(tx, endpoint), secret };
    });
}

/** Locks the counter of a project, so that no event is recorded and no endpoint created meanwhile; returns how far it is. */
async function lockPosition(tx: EntityManager, { teamId, projectId }: ProjectScope): Promise<number> {
  const [row] = await tx.execute<{ position: string }[]>(
    `insert into event_positions (team_id, project_id, position) values (?, ?, 0)
     on conflict (team_id, project_id) do update set position = event_positions.position returning position`,
    [teamId, projectId],
  );
  return Number(row?.position ?? 0);
}

/** Sends nothing of what an endpoint has missed up to a position. */
async function skipMissed(tx: EntityManager, endpoint: WebhookEndpoint, position: number): Promise<void> {
  endpoint.position = position;
  await tx.execute(
    `update webhook_deliveries set status = 'canceled', next_attempt_at = null
      where endpoint_id = ? and team_id = ? and next_attempt_at is not null`,
    [endpoint.id, endpoint.teamId],
  );
}

/**
 * Checks a URL, and where its name leads; one that leads nowhere yet is taken.
 * @throws Problem 422 `webhook_url_not_allowed`
 */
async function requireAllowed(text: string, { allowed, resolve }: Pick<Parts, 'allowed' | 'resolve'>): Promise<void> {
  const url = new URL(text);
  const host = hostOf(url);
  const findAddresses = async () => (isIP(host) === 0 ? resolve(host).catch(() => []) : [host]);
  const reason = refusalOf(url, allowed) ?? refusalOfAddresses(url, await findAddresses(), allowed);
  if (reason) throw unprocessable('webhook_url_not_allowed', MEANINGS[reason], { reason });
}

const MEANINGS = {
  too_long: 'The URL has more than 2,048 characters.',
  not_https: 'Events are posted by https only.',
  user_info: 'A URL with a user name or password is not taken.',
  port: 'Events are posted to port 443, or to one from 1024 on.',
  address_not_allowed: 'Events are posted to addresses of the public internet only, unless the operator opens others.',
} as const;

/** The query of a URL may hold a secret. */
const maskedChange = (change: AuditChange): AuditChange =>
  change.field === 'url' ? { field: 'url', from: masked(change.from), to: masked(change.to) } : change;

const masked = (url: AuditValue): AuditValue => (typeof url === 'string' ? url.replace(/\?.*/s, '?…') : url);

/** The same operation makes one secret. */
const secretIdOf = (id: string, operationKey: string): string =>
  createHash('sha256').update(`${id} ${operationKey}`).digest('hex');
