import { formatCount } from '#ui/amount.ts';
import { formatDate } from '#ui/time.tsx';

/** What is called by a name that has to be looked up. */
export interface Named {
  readonly of: 'customer' | 'product' | 'price' | 'subscription' | 'invoice';
  readonly id: string;
}

/** A sentence in parts, so that names that are not known yet can follow. */
export type Sentence = readonly (string | Named)[];

export const customer = (id: string): Named => ({ of: 'customer', id });

/** Makes a sentence: say`${customer(id)} paid ${amount}`. */
export const say = (texts: TemplateStringsArray, ...parts: readonly (string | Named | Sentence)[]): Sentence =>
  texts.flatMap((text, at) => [text, ...[parts[at] ?? ''].flat()]).filter(part => part !== '');

/** Joins texts as a list: "a, b and c". */
export const joined = (all: readonly string[]): string =>
  all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : (all[0] ?? '');

/** Returns a sentence as text, with what `nameOf` returns for what is looked up. */
export const textOf = (sentence: Sentence, nameOf: (named: Named) => string): string =>
  sentence.map(part => (typeof part === 'string' ? part : nameOf(part))).join('');

/** A field that changed. */
interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Texts that are longer than this say nothing within a sentence. */
const SHORT = 60;
const TIME = /^\d{4}-\d\d-\d\dT/;

function valueText(value: unknown): string | undefined {
  if (typeof value === 'number') return formatCount(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'string' || value.length > SHORT) return undefined;
  return TIME.test(value) ? formatDate(value) : `“${value}”`;
}

/** Returns `cancelAtPeriodEnd` as "cancel at period end". */
export const fieldText = (field: string): string =>
  field
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

/** Says what happened to a field: "name from “Store” to “Shop”". Secrets have no values. */
function changeText({ field, from, to }: FieldChange): string {
  const [before, after] = [valueText(from), valueText(to)];
  if (before !== undefined && after !== undefined) return `${fieldText(field)} from ${before} to ${after}`;
  if (after !== undefined) return `${fieldText(field)} to ${after}`;
  return fieldText(field);
}

const MAX_CHANGES = 2;

/** Says in a few words which fields changed. */
export function changesText(changes: readonly FieldChange[]): string {
  const rest = changes.length - MAX_CHANGES;
  const shown = changes.slice(0, rest > 0 ? MAX_CHANGES : changes.length).map(changeText);
  return joined([...shown, ...(rest > 0 ? [`${rest} more`] : [])]);
}
