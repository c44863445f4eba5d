import type { ProjectScope } from '@billing/contracts/ids';
import type { FieldDifference } from '@billing/contracts/resources/sync';
import type { ComparedObject, Comparison } from '@billing/contracts/rpc/syncs';
import { scopedKey, type ProjectObject } from '@billing/database/project-objects';

/** How objects of one type compare with records. */
interface Comparer<Snapshot, Row> {
  readonly scope: ProjectScope;
  readonly parse: (object: unknown) => Snapshot;
  /** Finds records by the processor's ids; returned by `scopedKey`. */
  readonly find: (ids: readonly ProjectObject[]) => Promise<ReadonlyMap<string, Row>>;
  /** Whether a record is of the object, and not of an earlier one with its id; always unless given. */
  readonly isOf?: (row: Row, snapshot: Snapshot) => boolean;
  /** Whether a record has neither ended nor been deleted; not deleted unless given. */
  readonly isLive?: (row: Row) => boolean;
  readonly differences: (row: Row, snapshot: Snapshot) => FieldDifference[];
  /** Finds those of the processor's ids of which other projects of the team have live records; none unless given. */
  readonly findHeld?: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** For each snapshot whether the record exists that it belongs to; always unless given. */
  readonly findParents?: (snapshots: readonly Snapshot[]) => Promise<readonly boolean[]>;
}

/** Compares objects with the project's records of them, in their order, as a sync does. */
export async function compareRecords<Snapshot, Row extends { readonly id: string; readonly deletedAt?: Date | null }>(
  objects: readonly ComparedObject[],
  {
    scope,
    parse,
    find,
    isOf = () => true,
    isLive = row => !row.deletedAt,
    differences,
    findHeld,
    findParents,
  }: Comparer<Snapshot, Row>,
): Promise<Comparison[]> {
  const rows = await find(objects.map(({ id }) => ({ scope, id })));
  const held = await findHeld?.(objects.map(({ id }) => id));
  const read = objects.filter(({ deleted }) => deleted !== true).map(object => ({ object, snapshot: parse(object) }));
  const parents = await findParents?.(read.map(({ snapshot }) => snapshot));
  const readings = new Map(
    read.map(({ object, snapshot }, index) => [object, { snapshot, hasParent: parents?.[index] ?? true }]),
  );
  return objects.map((object): Comparison => {
    const found = rows.get(scopedKey({ scope, id: object.id }));
    const reading = readings.get(object);
    const row = found && reading && !isOf(found, reading.snapshot) ? undefined : found;
    const compared = {
      id: row?.id ?? null,
      fields: [],
      hasParent: reading?.hasParent ?? true,
      isHeldElsewhere: held?.has(object.id) ?? false,
    };
    if (!reading) return { ...compared, outcome: row && isLive(row) ? 'extra' : 'same' };
    if (!row) return { ...compared, outcome: 'missing' };
    if (row.deletedAt) return { ...compared, outcome: 'deleted' };
    const fields = differences(row, reading.snapshot);
    return { ...compared, outcome: fields.length > 0 ? 'different' : 'same', fields };
  });
}
