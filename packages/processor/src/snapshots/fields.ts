import { isObject, MAX_ITEMS, metadata, type ValueType } from './values.ts';

/**
 * An object of the processor that lacks a field, or has one of another type or beyond the processor's limits. The message names
 * the first of them, without values.
 */
export class InvalidObject extends Error {
  override readonly name: string = 'InvalidObject';
}

/** An object whose nested lists have more items than it contains (`has_more`): read without them, its amounts would be wrong. */
export class CutList extends InvalidObject {
  override readonly name: string = 'CutList';
}

/** Faults that a message names, and the characters of each: it is stored with the event. */
const MAX_NAMED = 10;
const MAX_FAULT = 200;

/** What is wrong with an object: messages. */
interface Faults {
  readonly issues: string[];
  /** The nested lists that are cut. */
  readonly cut: string[];
}

/**
 * Parses an object of the processor. Its fields are read by hand, because every event passes here: schemas take several
 * times as long.
 * @throws InvalidObject; CutList if only the rest of a nested list is missing
 */
export function parseObject<Result>(raw: unknown, parse: (fields: Fields) => Result): Result {
  const faults: Faults = { issues: [], cut: [] };
  if (!isObject(raw)) throw new InvalidObject('the object: expected an object');
  const result = parse(new Fields(raw, '', faults));
  if (faults.issues.length > 0) throw new InvalidObject(faults.issues.slice(0, MAX_NAMED).join('; '));
  if (faults.cut.length > 0) throw new CutList(`${faults.cut.join(', ')}: the list is cut`);
  return result;
}

/** The fields of an object that is being parsed. */
export class Fields {
  readonly #object: Readonly<Record<string, unknown>>;
  /** Of the object in the outermost one, with a dot at its end. */
  readonly #path: string;
  readonly #faults: Faults;

  constructor(object: Readonly<Record<string, unknown>>, path: string, faults: Faults) {
    this.#object = object;
    this.#path = path;
    this.#faults = faults;
  }

  required<Value>(name: string, type: ValueType<Value>): Value {
    const value = type.parse(this.#object[name]);
    if (value === undefined) this.#reject(name, type.expected);
    return value as Value; // `parseObject` throws when it is undefined
  }

  /** Returns null for a field that is absent or null. */
  optional<Value>(name: string, type: ValueType<Value>): Value | null {
    return isAbsent(this.#object[name]) ? null : this.required(name, type);
  }

  /** The processor's metadata; none is an empty object. */
  metadata(): Readonly<Record<string, string>> {
    return this.optional('metadata', metadata) ?? {};
  }

  /** Parses an object in a field. */
  object<Result>(name: string, parse: (fields: Fields) => Result): Result {
    const value = this.#object[name];
    if (!isObject(value)) this.#reject(name, 'an object');
    return parse(new Fields(isObject(value) ? value : {}, `${this.#path}${name}.`, this.#faults));
  }

  /** Returns null for a field that is absent or null. */
  optionalObject<Result>(name: string, parse: (fields: Fields) => Result): Result | null {
    return isAbsent(this.#object[name]) ? null : this.object(name, parse);
  }

  /** Parses an object in a field that may have only its id: undefined then, and null when it is absent or null. */
  expanded<Result>(name: string, parse: (fields: Fields) => Result): Result | null | undefined {
    return typeof this.#object[name] === 'string' ? undefined : this.optionalObject(name, parse);
  }

  /** Parses each object of an object in a field, by name. Returns null for a field that is absent or null. */
  optionalMap<Result>(name: string, parse: (fields: Fields) => Result): ReadonlyMap<string, Result> | null {
    return this.optionalObject(
      name,
      fields => new Map(this.#limited(name, Object.keys(fields.#object)).map(key => [key, fields.object(key, parse)])),
    );
  }

  /** Parses each object of a list of the processor, which has them in `data`. */
  list<Result>(name: string, parse: (fields: Fields) => Result): Result[] {
    const list = this.#object[name];
    const items = isObject(list) ? list['data'] : undefined;
    if (!Array.isArray(items)) {
      this.#reject(name, 'a list');
      return [];
    }
    if (isCutList(list)) this.#faults.cut.push(`${this.#path}${name}`);
    return this.#limited(name, items).flatMap((item: unknown, index) => {
      if (isObject(item)) return [parse(new Fields(item, `${this.#path}${name}.data.${index}.`, this.#faults))];
      this.#reject(`${name}.data.${index}`, 'an object');
      return [];
    });
  }

  /** Parses each object of a plain array, which is empty when it is absent or null. */
  array<Result>(name: string, parse: (fields: Fields) => Result): Result[] {
    const items = this.#object[name] ?? [];
    if (!Array.isArray(items)) {
      this.#reject(name, 'an array');
      return [];
    }
    return this.#limited(name, items).flatMap((item: unknown, index) => {
      if (isObject(item)) return [parse(new Fields(item, `${this.#path}${name}.${index}.`, this.#faults))];
      this.#reject(`${name}.${index}`, 'an object');
      return [];
    });
  }

  /** Returns null for a list that is absent or null. */
  optionalList<Result>(name: string, parse: (fields: Fields) => Result): Result[] | null {
    return isAbsent(this.#object[name]) ? null : this.list(name, parse);
  }

  /** Returns no items of a list that has too many: the object is rejected then. */
  #limited<Item>(name: string, items: readonly Item[]): readonly Item[] {
    if (items.length <= MAX_ITEMS) return items;
    this.#reject(name, `at most ${MAX_ITEMS} items`);
    return [];
  }

  #reject(name: string, expected: string): void {
    const { issues } = this.#faults;
    if (issues.length <= MAX_NAMED) issues.push(`${`${this.#path}${name}`.slice(0, MAX_FAULT)}: expected ${expected}`);
  }
}

/** A list of the processor that does not contain all of its items. */
export const isCutList = (value: unknown): value is { readonly data: readonly unknown[]; readonly has_more: true } =>
  isObject(value) && Array.isArray(value['data']) && value['has_more'] === true;

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;
