import { createHash } from 'node:crypto';
import type { Id, IdKind, ProjectScope } from '@billing/contracts/ids';

/**
 * Returns the id of the resource that an operation creates. It follows from the operation key: a repeat by the caller, a
 * retry and a run after a crash all come to the same id. `purpose` separates several resources of one operation.
 */
export function derivedId<Prefix extends string>(
  kind: IdKind<Prefix>,
  operationKey: string,
  purpose: string,
): Id<Prefix> {
  return kind.fromDigest(createHash('sha256').update(`${purpose}:${operationKey}`).digest());
}

/**
 * Returns the id of the record that a project has of an object of the processor. It is the same when the record is made
 * again, as after the restore of a backup that lacks it. `createdAt` tells the lives of an id apart that can be used again.
 */
export const idOfMirrored = <Prefix extends string>(
  kind: IdKind<Prefix>,
  { teamId, projectId }: ProjectScope,
  processorId: string,
  createdAt?: Date,
): Id<Prefix> => {
  const life = createdAt ? [createdAt.getTime() / 1_000] : [];
  return derivedId(kind, JSON.stringify([teamId, projectId, processorId, ...life]), 'mirrored');
};
