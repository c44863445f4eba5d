import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { generateRecords, toRecordStates } from './generate-records.ts';
import type { PlainTables } from './plain-tables.ts';
import type { ReadModel } from './read-model.ts';

/** Records that are compared before the load. */
const COMPARED = 100;
const COMPARED_COPIES = 10;

/** Both forms of the data. */
interface Stores {
  readonly model: ReadModel;
  readonly tables: PlainTables;
}

/** How many customers, and as many subscriptions, a project gets. */
export interface Amounts {
  readonly small: number;
  /** Distinct records of the large project, which consists of `copies` of them. */
  readonly distinct: number;
  readonly copies: number;
}

/** Loads the same customers and subscriptions into the read model, as event handlers do, and into plain tables. */
export async function load(
  { model, tables }: Stores,
  { small, large }: Readonly<Record<'small' | 'large', ProjectScope>>,
  amounts: Amounts,
): Promise<void> {
  const now = new Date();
  await requireSameRows(model, now);
  const source = newScope();
  for (const [scope, count] of [
    [small, amounts.small],
    [source, amounts.distinct],
  ] as const) {
    const target = { ...scope, now };
    await model.apply(toRecordStates(target, generateRecords(target, upTo(count))));
    await tables.insert(generateRecords(target, upTo(count)));
  }
  for (const store of [model, tables]) {
    await store.copy(source, large, amounts.copies);
    await store.vacuum();
  }
}

/**
 * Checks that copied rows equal the rows that states under the copied ids create.
 * @throws Error when they differ
 */
async function requireSameRows(model: ReadModel, now: Date): Promise<void> {
  const [source, copied, applied] = [newScope(), newScope(), newScope()];
  const apply = (scope: ProjectScope, copy?: number) => {
    const target = { ...scope, now, ...(copy !== undefined && { copy }) };
    return model.apply(toRecordStates(target, generateRecords(target, upTo(COMPARED))));
  };
  await apply(source);
  await model.copy(source, copied, COMPARED_COPIES);
  for (let copy = 1; copy <= COMPARED_COPIES; copy += 1) await apply(applied, copy);
  if ((await model.fingerprint(copied)) !== (await model.fingerprint(applied)))
    throw new Error('Copied rows differ from applied rows.');
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const newScope = (): ProjectScope => ({ teamId: TeamId.create(), projectId: ProjectId.create() });
