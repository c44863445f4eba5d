/** Checks one value of the processor's JSON. `parse` returns undefined for a value that is not what is expected. */
export interface ValueType<Value> {
  readonly expected: string;
  readonly parse: (value: unknown) => Value | undefined;
}

/** The last second of the year 9999; databases and JSON can't represent later times. */
const LATEST_SECOND = 253_402_300_799;

export const text: ValueType<string> = {
  expected: 'a text',
  parse: value => (typeof value === 'string' ? value : undefined),
};

export const flag: ValueType<boolean> = {
  expected: 'true or false',
  parse: value => (typeof value === 'boolean' ? value : undefined),
};

export const number: ValueType<number> = {
  expected: 'a number',
  parse: value => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
};

export const wholeNumber: ValueType<number> = {
  expected: 'a whole number',
  parse: value => (typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined),
};

/** The processor's amounts have up to twelve decimals. */
const DECIMAL = /^\d+(?:\.\d{1,12}0*)?$/;

/** A decimal number as text, without zeros at its end. The library has objects for it, webhook events have texts. */
export const decimal: ValueType<string> = {
  expected: 'a decimal number',
  parse: value => {
    const written: unknown = isObject(value) && typeof value['toJSON'] === 'function' ? value['toJSON']() : value;
    if (typeof written !== 'string' || !DECIMAL.test(written)) return undefined;
    return written.includes('.') ? written.replace(/\.?0+$/, '') : written;
  },
};

export const positiveNumber: ValueType<number> = {
  expected: 'a whole number above zero',
  parse: value => (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined),
};

/** Whole seconds since 1970. */
export const unixTime: ValueType<Date> = {
  expected: 'seconds between the years 1970 and 9999',
  parse: value =>
    typeof value === 'number' && value >= 0 && value <= LATEST_SECOND ? new Date(value * 1_000) : undefined,
};

/** An id, or the expanded object that has it. */
export const reference: ValueType<string> = {
  expected: 'an id or an object with an id',
  parse: value => text.parse(isObject(value) ? value['id'] : value),
};

/** The first item of a list of the processor, which may be cut; null for an empty list. */
export const firstItem: ValueType<unknown> = {
  expected: 'a list',
  parse: value => (isObject(value) && Array.isArray(value['data']) ? (value['data'][0] ?? null) : undefined),
};

const metadata: ValueType<Readonly<Record<string, string>>> = {
  expected: 'an object of texts',
  parse: value => (isObject(value) && isTextMap(value) ? value : undefined),
};

/** One of the words; others are rejected. */
export const wordOf = <Word extends string>(words: readonly Word[]): ValueType<Word> => ({
  expected: `one of ${words.join(', ')}`,
  parse: value => words.find(word => word === value),
});

/** One of the words; null for another one, because later versions of the processor may add some. */
export const knownWordOf = <Word extends string>(words: readonly Word[]): ValueType<Word | null> => ({
  expected: text.expected,
  parse: value => (typeof value === 'string' ? (words.find(word => word === value) ?? null) : undefined),
});

/** An object of the processor that lacks a field, or has one of another type. The message names each, without values. */
export class InvalidObject extends Error {
  override readonly name: string = 'InvalidObject';
}

/** An object whose nested lists have more items than it contains (`has_more`): read without them, its amounts would be wrong. */
export class CutList extends InvalidObject {
  override readonly name: string = 'CutList';
}

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
  if (faults.issues.length > 0) throw new InvalidObject(faults.issues.join('; '));
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
      fields => new Map(Object.keys(fields.#object).map(key => [key, fields.object(key, parse)])),
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
    return items.flatMap((item: unknown, index) => {
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
    return items.flatMap((item: unknown, index) => {
      if (isObject(item)) return [parse(new Fields(item, `${this.#path}${name}.${index}.`, this.#faults))];
      this.#reject(`${name}.${index}`, 'an object');
      return [];
    });
  }

  /** Returns null for a list that is absent or null. */
  optionalList<Result>(name: string, parse: (fields: Fields) => Result): Result[] | null {
    return isAbsent(this.#object[name]) ? null : this.list(name, parse);
  }

  #reject(name: string, expected: string): void {
    this.#faults.issues.push(`${this.#path}${name}: expected ${expected}`);
  }
}

/** A list of the processor that does not contain all of its items. */
export const isCutList = (value: unknown): value is { readonly data: readonly unknown[]; readonly has_more: true } =>
  isObject(value) && Array.isArray(value['data']) && value['has_more'] === true;

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTextMap = (value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, string>> =>
  Object.values(value).every(it => typeof it === 'string');
