/** Checks one value of the processor's JSON. `parse` returns undefined for a value that is not what is expected. */
export interface ValueType<Value> {
  readonly expected: string;
  readonly parse: (value: unknown) => Value | undefined;
}

/** The last second of the year 9999; databases and JSON can't represent later times. */
const LATEST_SECOND = 253_402_300_799;

/** Items of a list, and entries of a map. The processor's longest has a few hundred, and most have at most 20. */
export const MAX_ITEMS = 1_000;
/** Of metadata. https://docs.stripe.com/metadata#data */
const MAX_KEYS = 50;

/** A text of at most `max` characters. What is longer does not come from the processor. */
const textUpTo = (max: number): ValueType<string> => ({
  expected: `a text of at most ${max} characters`,
  parse: value => (typeof value === 'string' && hasAtMost(max, value) ? value : undefined),
});

/** Any text but long ones: the processor's own limit is half of it. */
export const text = textUpTo(10_000);

/** An id, a word, a name or an address: the processor's limits are 512 characters and less. */
export const shortText = textUpTo(1_024);

/** Texts as we store them: in Unicode's NFC. */
export const normalText = inNormalForm(text);
/** The description of a product, the processor's longest text. */
export const longNormalText = inNormalForm(textUpTo(40_000));

function inNormalForm({ expected, parse }: ValueType<string>): ValueType<string> {
  return { expected, parse: value => parse(value)?.normalize('NFC') };
}

/** Counts characters only where a text might have too many: some take two places of a string. */
const hasAtMost = (max: number, value: string): boolean =>
  value.length <= max || (value.length <= 2 * max && Array.from(value).length <= max);

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
const DECIMAL = /^\d{1,24}(?:\.\d{1,12}0{0,12})?$/;

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
  parse: value => shortText.parse(isObject(value) ? value['id'] : value),
};

/** A plain list of something, of limited length. */
export const listOf = <Item>({ expected, parse }: ValueType<Item>): ValueType<readonly Item[]> => ({
  expected: `a list of at most ${MAX_ITEMS} items, each ${expected}`,
  parse: value => {
    if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined;
    const items = value.map(parse);
    return items.every(item => item !== undefined) ? items : undefined;
  },
});

/** The first item of a list of the processor, which may be cut; null for an empty list. */
export const firstItem: ValueType<unknown> = {
  expected: 'a list',
  parse: value => (isObject(value) && Array.isArray(value['data']) ? (value['data'][0] ?? null) : undefined),
};

/** Key-value pairs as the processor takes them. */
export const metadata: ValueType<Readonly<Record<string, string>>> = {
  expected: `an object of at most ${MAX_KEYS} texts of 500 characters, under keys of 40`,
  parse: value => (isObject(value) && isMetadata(value) ? value : undefined),
};

/** One of the words; others are rejected. */
export const wordOf = <Word extends string>(words: readonly Word[]): ValueType<Word> => ({
  expected: `one of ${words.join(', ')}`,
  parse: value => words.find(word => word === value),
});

/** One of the words; null for another one, because later versions of the processor may add some. */
export const knownWordOf = <Word extends string>(words: readonly Word[]): ValueType<Word | null> => ({
  expected: 'a word',
  parse: value => (typeof value === 'string' ? (words.find(word => word === value) ?? null) : undefined),
});

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isMetadata = (value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, string>> => {
  const keys = Object.keys(value);
  const isEntry = (key: string) => {
    const it = value[key];
    return hasAtMost(40, key) && typeof it === 'string' && hasAtMost(500, it);
  };
  return keys.length <= MAX_KEYS && keys.every(isEntry);
};
