import type { Sync, SyncFinding } from '@billing/client';
import { withLocalTimes } from '#ui/time.tsx';

/** Reasons that the service names by a word. */
const REASONS: Readonly<Record<string, string>> = {
  deleted_here: 'It was deleted here, and is not taken over again.',
  other_team: 'Its metadata names another team.',
  other_project: 'It belongs to another project of the team.',
  foreign: 'The filter of this sync leaves it out.',
  product_skipped: 'Its product is not taken over.',
  customer_skipped: 'Its customer is not taken over.',
  product_unknown: 'Its product has no record here. Compare products too.',
  customer_unknown: 'Its customer has no record here. Compare customers too.',
  ended_long_ago: 'It ended more than 400 days ago.',
  draft: 'It is still a draft.',
  pending: 'It is still pending.',
};

type Outcome = SyncFinding['outcome'];

const APPLIED: Readonly<Partial<Record<Outcome, string>>> = {
  missing: 'It was recorded.',
  different: 'It was made equal to Stripe.',
  extra: 'It was removed here.',
};
const PLANNED: Readonly<Partial<Record<Outcome, string>>> = {
  missing: 'It has no record here. An apply records it.',
  different: 'An apply takes what Stripe has.',
  extra: 'Stripe does not have it. An apply removes it here.',
};

/** Says why something was found, or what became of it. */
export function explainFinding({ outcome, reason, applied }: SyncFinding, mode: Sync['mode']): string {
  if (applied) return APPLIED[outcome] ?? 'It was taken over.';
  if (reason !== null) return REASONS[reason] ?? asSentence(reason);
  return (mode === 'report' ? PLANNED[outcome] : undefined) ?? 'It was not taken over.';
}

function asSentence(text: string): string {
  // An id at the beginning stays as it is.
  const sentence = /^\w+_\w/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The name of a field as people read it: `cancelAtPeriodEnd` is "cancel at period end". A key of metadata stays as it is. */
export function fieldName(field: string): string {
  const [name = '', ...key] = field.split(' ');
  return [name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).trim(), ...key].join(' ');
}

/** A value of a field as people read it. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? withLocalTimes(value) : JSON.stringify(value);
}

type Difference = SyncFinding['fields'][number];

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns what differs, field by field: of objects, such as metadata, each key that has another value. */
export const differencesOf = ({ fields }: Pick<SyncFinding, 'fields'>): readonly Difference[] =>
  fields.flatMap(({ field, ours, theirs }) => {
    if (!isPlain(ours) || !isPlain(theirs)) return [{ field, ours, theirs }];
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    return keys
      .filter(key => JSON.stringify(ours[key]) !== JSON.stringify(theirs[key]))
      .map(key => ({ field: `${field} ${key}`, ours: ours[key], theirs: theirs[key] }));
  });

/** The same in one text. */
export const differencesText = (finding: Pick<SyncFinding, 'fields'>): string =>
  differencesOf(finding)
    .map(({ field, ours, theirs }) => `${fieldName(field)}: ${valueText(ours)} → ${valueText(theirs)}`)
    .join('; ');
