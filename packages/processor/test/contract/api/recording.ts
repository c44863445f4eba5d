import { Stripe } from 'stripe';

/** What the fields of an object are, without their values: `string`, `null`, a list of elements or an object. */
export type Outline = string | readonly Outline[] | { readonly [field: string]: Outline };

/** Returns the outline of an object of the API. Of a list it keeps the first element; metadata has no outline. */
export function outlineOf(value: unknown): Outline {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.slice(0, 1).map(outlineOf);
  if (typeof value !== 'object') return typeof value;
  if (value.constructor === Stripe.Decimal.zero.constructor) return 'decimal';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, name === 'metadata' ? 'metadata' : outlineOf(field)] as const),
  );
}

/**
 * Returns where two outlines differ, one line for each field: those that only one has, and those of another kind. Null
 * differs from nothing, because the data of two accounts differ.
 */
export function differencesOf(standIn: Outline, stripe: Outline, path: string): string[] {
  if (standIn === 'null' || stripe === 'null') return [];
  if (typeof standIn === 'string' || typeof stripe === 'string')
    return standIn === stripe ? [] : [`${path}: ${kindOf(standIn)} in the stand-in, ${kindOf(stripe)} at Stripe`];
  if (isList(standIn) || isList(stripe)) {
    if (!isList(standIn) || !isList(stripe))
      return [`${path}: ${kindOf(standIn)} in the stand-in, ${kindOf(stripe)} at Stripe`];
    const [ours, theirs] = [standIn[0], stripe[0]];
    return ours === undefined || theirs === undefined ? [] : differencesOf(ours, theirs, `${path}[]`);
  }
  const names = new Set([...Object.keys(standIn), ...Object.keys(stripe)]);
  return [...names].toSorted().flatMap(name => {
    const [ours, theirs] = [standIn[name], stripe[name]];
    if (theirs === undefined) return [`${path}.${name}: only in the stand-in`];
    if (ours === undefined) return [`${path}.${name}: only at Stripe (${kindOf(theirs)})`];
    return differencesOf(ours, theirs, `${path}.${name}`);
  });
}

/** What one case has seen in one account: outlines by name. */
export class Recording {
  readonly #outlines = new Map<string, Outline>();

  add(name: string, outline: Outline): void {
    this.#outlines.set(name, outline);
  }

  /** Returns where Stripe differs from this, the stand-in's recording. */
  differencesFrom(stripe: Recording): string[] {
    const names = new Set([...this.#outlines.keys(), ...stripe.#outlines.keys()]);
    return [...names].flatMap(name => {
      const [ours, theirs] = [this.#outlines.get(name), stripe.#outlines.get(name)];
      if (ours === undefined || theirs === undefined)
        return [`${name}: seen only ${ours === undefined ? 'at Stripe' : 'in the stand-in'}`];
      return differencesOf(ours, theirs, name);
    });
  }
}

const isList = (outline: Outline): outline is readonly Outline[] => Array.isArray(outline);

const kindOf = (outline: Outline): string =>
  typeof outline === 'string' ? outline : isList(outline) ? 'list' : 'object';
