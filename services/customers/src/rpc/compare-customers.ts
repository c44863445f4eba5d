import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Comparison, CompareObjects } from '@billing/contracts/rpc/syncs';
import { inProjects, scopedKey } from '@billing/database/project-objects';
import { fieldDifferences } from '@billing/processor/field-differences';
import { readCustomer } from '@billing/processor/snapshots/customer';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { z } from 'zod';
import { toContent } from '#domain/customer.ts';
import { findOwners } from '#persistence/customer-identifiers.ts';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';

type Request = z.output<(typeof CompareObjects)['customers']['request']>;

const NO_CONTENT = { email: null, name: null, externalId: null, metadata: {} };
const EQUAL: Comparison = { outcome: 'same', id: null, fields: [], hasParent: true };

/** Compares customers of the processor with the project's records. A customer without a record may be linked by a sync. */
export function compareCustomers(em: EntityManager) {
  return async ({ teamId, projectId, objects }: Request): Promise<Comparison[]> => {
    const scope = { teamId, projectId };
    const snapshots = objects.map(readCustomer);
    const records = await findRecords(
      em,
      snapshots.map(({ id }) => ({ scope, id })),
    );
    const compared = snapshots.map(snapshot => {
      const key = scopedKey({ scope, id: snapshot.id });
      const record = records.live.get(key) ?? null;
      const theirs = snapshot.deleted ? null : toContent(snapshot, scope, record ?? NO_CONTENT);
      return { record, theirs, wasDeleted: records.deleted.has(key) };
    });
    const emails = compared.flatMap(({ theirs }) => theirs?.email ?? []);
    const owners = await findOwners(em.fork(), scope, { kind: 'email', values: emails });

    return compared.map(({ record, theirs, wasDeleted }) => {
      if (!theirs) return record ? { ...EQUAL, outcome: 'extra', id: record.id } : EQUAL;
      const owner = theirs.email === null ? undefined : owners.get(theirs.email);
      if (owner !== undefined && owner !== record?.id) return { ...EQUAL, outcome: 'taken', id: owner };
      if (!record) return { ...EQUAL, outcome: wasDeleted ? 'deleted' : 'missing' };
      const { email, name, externalId, metadata, balance } = record;
      const fields = fieldDifferences({ email, name, externalId, metadata, balance }, theirs);
      return { ...EQUAL, id: record.id, fields, outcome: fields.length > 0 ? 'different' : 'same' };
    });
  };
}

async function findRecords(em: EntityManager, ids: readonly { readonly scope: ProjectScope; readonly id: string }[]) {
  const live = new Map<string, LinkedCustomer>();
  const deleted = new Set<string>();
  for (const customer of await em.fork().find(Customer, inProjects('processorId', ids))) {
    if (!isMirrored(customer)) continue;
    const key = scopedKey({ scope: customer, id: customer.processorId });
    if (customer.deletedAt) deleted.add(key);
    else live.set(key, customer);
  }
  return { live, deleted };
}
