import { randomUUID } from 'node:crypto';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { FeatureSaved } from '@billing/contracts/events/features';
import { FeatureId, type ProjectScope } from '@billing/contracts/ids';
import { conflict, notFound, quotaExceeded } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { featureCreate, featureUpdate } from '@billing/contracts/resources/feature';
import { lockObjects } from '@billing/database/advisory-locks';
import type { Publish } from '@billing/messaging/outbox';
import { changesOf, recordAudit } from '@billing/service/audit';
import { derivedId } from '@billing/service/derived-id';
import type { z } from 'zod';
import { Feature, toFeatureState } from '#persistence/feature.entity.ts';
import type { Dependencies } from '../dependencies.ts';

/** Features of a project. */
const QUOTA = 200;

/** Publishes a feature for who grants by it. */
const publishSaved = (publish: Publish, feature: Feature): void =>
  publish(FeatureSaved, feature.teamId, toFeatureState(feature));

/**
 * Defines a feature. The same operation key gives the same feature.
 * @throws Problem 409 `feature_key_taken`; 422 `quota_exceeded`
 */
export const createFeature =
  ({ outbox, now }: Pick<Dependencies, 'outbox' | 'now'>) =>
  (
    scope: ProjectScope,
    { merge = 'max', values, ...named }: z.output<typeof featureCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Feature> =>
    outbox.transaction(async (tx, publish) => {
      const { teamId, projectId } = scope;
      const wanted = { ...named, values: values ?? null, merge: named.type === 'limit' ? merge : null };
      const id = derivedId(FeatureId, operationKey, 'feature');
      // One at a time per project: the quota holds, and no key is taken twice.
      await lockObjects(tx, 'features', [{ scope, id: projectId }]);
      const existing = await tx.findOne(Feature, { id, teamId, projectId });
      if (existing) return existing;
      if (await tx.findOne(Feature, { teamId, projectId, key: wanted.key }))
        throw conflict('feature_key_taken', 'Another feature of the project has this key.');
      if ((await tx.count(Feature, { teamId, projectId })) >= QUOTA) throw quotaExceeded('features', QUOTA);
      const created = tx.create(Feature, {
        id,
        teamId,
        projectId,
        ...wanted,
        isActive: true,
        version: 1,
        createdAt: now(),
      });
      await tx.flush();
      publishSaved(publish, created);
      recordAudit(publish, teamId, context, { target: { type: 'feature', id }, changes: changesOf(null, wanted) });
      return created;
    });

/**
 * Renames, activates or deactivates a feature.
 * @throws Problem 404
 */
export const updateFeature =
  ({ outbox }: Pick<Dependencies, 'outbox'>) =>
  (scope: ProjectScope, key: string, wanted: z.output<typeof featureUpdate>, context: AuditContext): Promise<Feature> =>
    outbox.transaction(async (tx, publish) => {
      const feature = await findFeature(tx, scope, key, LockMode.PESSIMISTIC_WRITE);
      const changes = changesOf(feature, wanted);
      const target = { type: 'feature', id: feature.id } as const;
      recordAudit(publish, scope.teamId, context, { target, changes });
      if (changes.length === 0) return feature;
      const { name = feature.name, isActive = feature.isActive } = wanted;
      Object.assign(feature, { name, isActive, version: feature.version + 1 });
      await tx.flush();
      publishSaved(publish, feature);
      return feature;
    });

/**
 * Finds a feature by its key.
 * @throws Problem 404
 */
export async function findFeature(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  key: string,
  lockMode?: LockMode,
): Promise<Feature> {
  const feature = await em.findOne(Feature, { teamId, projectId, key }, lockMode === undefined ? {} : { lockMode });
  if (!feature) throw notFound('feature');
  return feature;
}
