import type { EntityManager } from '@mikro-orm/postgresql';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { scopedKey } from '@billing/database/project-objects';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readCustomer } from '@billing/processor/snapshots/customer';
import { isOfLife } from '@billing/service/lives';
import type { z } from 'zod';
import { billingDifferences, UNSEEN_BILLING } from '#domain/billing.ts';
import { toContent } from '#domain/customer.ts';
import { findOwners } from '#persistence/customer-identifiers.ts';
import { findHeldElsewhere } from '#persistence/held-elsewhere.ts';
import { customers } from '#persistence/find-customer.ts';

type Request = z.output<(typeof CompareObjects)['customers']['request']>;

const NO_CONTENT = { email: null, name: null, externalId: null, metadata: {}, ...UNSEEN_BILLING };
const EQUAL: Comparison = { outcome: 'same', id: null, fields: [], hasParent: true, isHeldElsewhere: false };

/** Compares customers of the processor with the project's records. A customer without a record may be linked by a sync. */
export function compareCustomers(em: EntityManager) {
  return async ({ teamId, projectId, objects }: Request): Promise<Comparison[]> => {
    const scope = { teamId, projectId };
    const snapshots = objects.map(readCustomer);
    const records = await customers.findByProcessorIds(
      em.fork(),
      snapshots.map(({ id }) => ({ scope, id })),
    );
    const compared = snapshots.map(snapshot => {
      const ofId = records.get(scopedKey({ scope, id: snapshot.id })) ?? null;
      const found = ofId && !snapshot.deleted && !isOfLife(ofId, snapshot.createdAt) ? null : ofId;
      const wasDeleted = found !== null && found.deletedAt !== null;
      const record = wasDeleted ? null : found;
      const theirs = snapshot.deleted ? null : toContent(snapshot, scope, record ?? NO_CONTENT);
      // The one that had the id before gives its e-mail free when it ends.
      const formerId = found ? null : (ofId?.id ?? null);
      return { processorId: snapshot.id, record, theirs, wasDeleted, formerId };
    });
    const emails = compared.flatMap(({ theirs }) => theirs?.email ?? []);
    const held = await findHeldElsewhere(
      em.fork(),
      scope,
      snapshots.map(({ id }) => id),
    );
    const owners = await findOwners(em.fork(), scope, { kind: 'email', values: emails });

    return compared.map(({ processorId, record, theirs, wasDeleted, formerId }) => {
      const equal = { ...EQUAL, isHeldElsewhere: held.has(processorId) };
      if (!theirs) return record ? { ...equal, outcome: 'extra', id: record.id } : equal;
      const owner = theirs.email === null ? undefined : owners.get(theirs.email);
      if (owner !== undefined && owner !== record?.id && owner !== formerId)
        return { ...equal, outcome: 'taken', id: owner };
      if (!record) return { ...equal, outcome: wasDeleted ? 'deleted' : 'missing' };
      const { email, name, externalId, metadata, balance, discountId } = record;
      const { billing: _billing, taxIds: _taxIds, taxLocation: _location, ...content } = theirs;
      const fields = [
        ...fieldDifferences({ email, name, externalId, metadata, balance, discountId }, content),
        ...billingDifferences(record, theirs),
      ];
      return { ...equal, id: record.id, fields, outcome: fields.length > 0 ? 'different' : 'same' };
    });
  };
}
