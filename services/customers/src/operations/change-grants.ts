import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { GrantSaved } from '@billing/contracts/events/features';
import { requireFits } from '@billing/contracts/feature-value';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Grant as GrantResource, grantSet } from '@billing/contracts/resources/feature';
import { FindFeature } from '@billing/contracts/rpc/calls';
import { lockObjects } from '@billing/database/advisory-locks';
import type { Outbox, Publish } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { changesOf, changesWithin, recordAudit } from '@billing/service/audit';
import type { z } from 'zod';
import { customers } from '#persistence/find-customer.ts';
import { Grant, toGrant } from '#persistence/grant.entity.ts';

/**
 * Lists what was given to a customer, also what has expired, by key.
 * @throws Problem 404
 */
export async function listGrants(
  em: EntityManager,
  scope: ProjectScope,
  customerId: CustomerId,
): Promise<GrantResource[]> {
  await customers.find(em, scope, customerId);
  const { teamId, projectId } = scope;
  const where = { teamId, projectId, customerId, value: { $ne: null } };
  const grants = await em.find(Grant, where, { orderBy: { key: 'asc' } });
  return grants.flatMap(one => toGrant(one) ?? []);
}

/**
 * Gets what was given to a customer of a feature.
 * @throws Problem 404 for the customer, and for a feature that was not given to it
 */
export async function findGrant(
  em: EntityManager,
  scope: ProjectScope,
  customerId: CustomerId,
  key: string,
): Promise<GrantResource> {
  await customers.find(em, scope, customerId);
  const { teamId, projectId } = scope;
  const found = await em.findOne(Grant, { teamId, projectId, customerId, key });
  const grant = found && toGrant(found);
  if (!grant) throw notFound('feature', 'The customer was given no such feature.');
  return grant;
}

/**
 * Gives a customer a feature, instead of what was given of it before.
 * @throws Problem 404; 422 `feature_value_invalid`
 */
export const setGrant =
  ({ outbox, rpc }: { readonly outbox: Outbox; readonly rpc: RpcClient }) =>
  async (
    scope: ProjectScope,
    customerId: CustomerId,
    key: string,
    wanted: z.output<typeof grantSet>,
    context: AuditContext,
  ): Promise<GrantResource> => {
    const { teamId, projectId } = scope;
    const feature = await rpc.call(FindFeature, { teamId, projectId, key });
    return outbox.transaction(async (tx, publish) => {
      await customers.find(tx, scope, customerId);
      if (!feature) throw notFound('feature');
      requireFits(feature, wanted.value);
      await save(tx, publish, { scope, customerId, key, given: wanted, context });
      return { key, ...wanted };
    });
  };

/**
 * Takes back what was given to a customer of a feature.
 * @throws Problem 404
 */
export const removeGrant =
  ({ outbox }: { readonly outbox: Outbox }) =>
  (scope: ProjectScope, customerId: CustomerId, key: string, context: AuditContext): Promise<void> =>
    outbox.transaction(async (tx, publish) => {
      await findGrant(tx, scope, customerId, key);
      const given = { value: null, expiresAt: null, note: null };
      await save(tx, publish, { scope, customerId, key, given, context });
    });

interface Saving {
  readonly scope: ProjectScope;
  readonly customerId: CustomerId;
  readonly key: string;
  readonly given: Pick<Grant, 'value' | 'expiresAt' | 'note'>;
  readonly context: AuditContext;
}

async function save(tx: EntityManager, publish: Publish, saving: Saving): Promise<void> {
  const { scope, customerId, key, given, context } = saving;
  const { teamId, projectId } = scope;
  await lockObjects(tx, 'grant', [{ scope, id: `${customerId} ${key}` }]);
  const ids = { teamId, projectId, customerId, key };
  const existing = await tx.findOne(Grant, ids, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  const { value, expiresAt } = given;
  const before = existing && { value: existing.value, expiresAt: existing.expiresAt, note: existing.note };
  const changes = changesOf(before, given, ['note']);
  const target = { type: 'customer', id: customerId } as const;
  recordAudit(publish, teamId, context, { target, changes: changesWithin(key, changes) });
  if (existing && changes.length === 0) return;
  const grant = existing ?? tx.create(Grant, { ...ids, ...given, version: 0 });
  Object.assign(grant, given, { version: grant.version + 1 });
  await tx.flush();
  publish(GrantSaved, teamId, { projectId, customerId, key, value, expiresAt, version: grant.version });
}
