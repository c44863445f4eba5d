import { catalogConflictText, type Sync, type SyncFinding } from '@billing/client';
import { CATALOG_TYPES } from '@billing/contracts/resources/sync';

export type Color = 'green' | 'yellow' | 'red' | 'magenta' | 'dim' | 'bold';
/** Colors a text, where there are colors. */
export type Paint = (color: Color, text: string) => string;

type Found = Pick<
  SyncFinding,
  'type' | 'key' | 'name' | 'outcome' | 'action' | 'reason' | 'applied' | 'liveSubscriptions' | 'migration'
> & { readonly fields: readonly SyncFinding['fields'][number][] };

const TITLES: Readonly<Record<(typeof CATALOG_TYPES)[number], string>> = {
  feature: 'Features',
  product: 'Products',
  price: 'Prices',
  coupon: 'Coupons',
  promotion_code: 'Promotion codes',
  portal: 'Portal',
  settings: 'Settings',
};

/** Whether an apply changes something here, or cannot: what is only in the project, and stays, is no difference. */
export const isDifference = ({ action, outcome }: Pick<Found, 'action' | 'outcome'>): boolean =>
  action !== 'none' || outcome === 'conflict';

/** Whether an apply has left something undone. */
export const isUndone = (found: Pick<Found, 'action' | 'outcome' | 'applied'>): boolean =>
  isDifference(found) && !found.applied;

/** Writes what an apply would do as a text that people review, grouped by type. */
export const differenceText = (findings: readonly Found[], paint: Paint): string =>
  grouped(findings, paint, found => [headline(found, paint), ...fieldLines(found)]);

/** Writes what an apply has done, and what it was refused. */
export const outcomeText = (findings: readonly Found[], paint: Paint): string =>
  grouped(findings.filter(isDifference), paint, found => {
    const { reason, applied } = found;
    const done = applied
      ? 'applied'
      : paint('red', `not applied: ${catalogConflictText(reason ?? 'the run has ended')}`);
    return [`${headline({ ...found, outcome: applied ? found.outcome : 'conflict', reason: null }, paint)}  ${done}`];
  });

function grouped(findings: readonly Found[], paint: Paint, linesOf: (found: Found) => readonly string[]): string {
  return CATALOG_TYPES.flatMap(type => {
    const lines = findings.filter(found => found.type === type).flatMap(linesOf);
    return lines.length === 0 ? [] : [paint('bold', TITLES[type]), ...lines.map(line => `  ${line}`), ''];
  }).join('\n');
}

/** The first line of an item: what is done with it. */
function headline(
  { type, key, name, outcome, action, reason, liveSubscriptions, migration }: Found,
  paint: Paint,
): string {
  const item = [key, name !== null && name !== key && `(${name})`].filter(Boolean).join(' ');
  if (outcome === 'conflict')
    return paint(
      'red',
      [`× ${item}`, reason !== null && `conflict ${reason}: ${catalogConflictText(reason)}`].filter(Boolean).join('  '),
    );
  const stay = `${liveSubscriptions} ${liveSubscriptions === 1 ? 'subscription stays' : 'subscriptions stay'}`;
  switch (action) {
    case 'create':
      return paint('green', `+ ${item}`);
    case 'update':
      return paint('yellow', `~ ${item}`);
    case 'replace': {
      const then = migration ? `; then: price-migrations ${JSON.stringify(migration)}` : '';
      return paint('magenta', `! ${item}  replace (${stay}${liveSubscriptions ? then : ''})`);
    }
    case 'archive':
      return paint('red', `- ${item}  archive${type === 'price' ? ` (${stay})` : ''}`);
    case 'none':
    case null:
      break;
  }
  return paint('dim', `· ${item}  only here; --prune archives it`);
}

/** The fields of an item that differ; of a new one those that say something. */
function fieldLines({ action, fields, outcome }: Found): readonly string[] {
  if (outcome === 'extra') return [];
  if (action === 'create' && outcome === 'missing')
    return fields
      .filter(({ field, theirs }) => !['key', 'name', 'code'].includes(field) && !isPlain(theirs, 0) && theirs !== true)
      .map(({ field, theirs }) => `    ${field}: ${valueText(theirs)}`);
  return fields.flatMap(({ field, ours, theirs }) => leaves(field, ours, theirs));
}

/** Divides what differs within an object. */
function leaves(field: string, ours: unknown, theirs: unknown): readonly string[] {
  if (!isPlain(ours) || !isPlain(theirs)) return [`    ${field}: ${valueText(ours)} → ${valueText(theirs)}`];
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  return names
    .filter(name => JSON.stringify(ours[name]) !== JSON.stringify(theirs[name]))
    .flatMap(name => leaves(`${field}.${name}`, ours[name], theirs[name]));
}

/** Whether a value is an object, of so many fields. */
const isPlain = (value: unknown, size?: number): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (size === undefined || Object.keys(value).length === size);

const valueText = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : JSON.stringify(value);

/** Sums up what was found: the last line, with the id of the run. */
export function countsText(
  findings: readonly Found[],
  { id, types, counts }: Pick<Sync, 'id' | 'types' | 'counts'>,
): string {
  const of = (action: Found['action']) => findings.filter(found => found.action === action).length;
  const kept = findings.filter(found => !isDifference(found)).length;
  const parts = [
    `${of('create')} to create`,
    `${of('update')} to update`,
    `${of('replace')} to replace`,
    `${of('archive')} to archive`,
    `${findings.filter(({ outcome }) => outcome === 'conflict').length} in conflict`,
    kept > 0 && `${kept} only here`,
    `${types.reduce((sum, type) => sum + (counts[type]?.same ?? 0), 0)} equal`,
  ];
  return `${parts.filter(part => part !== false).join(', ')}. Report: ${id}`;
}
