import type { Step } from './rehearsal.ts';

type Expectation = Extract<Step, { readonly do: 'expect' }>;

/** What is compared of a customer: the fields of an expectation, as they are. */
export type Actual = Readonly<Record<keyof Omit<Expectation, 'do' | 'customer'>, unknown>>;

/** One thing that is not as expected. */
export interface Difference {
  /** Such as `subscription.status`. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Returns what is not as expected. Only what is named is compared; of events, those that are named have to be among them. */
export function differencesOf(
  { do: _do, customer: _customer, ...expected }: Expectation,
  actual: Actual,
): readonly Difference[] {
  return leavesOf(expected).flatMap(({ path, value }) => {
    const found = valueAt(actual, path);
    return isAs(value, found) ? [] : [{ path: path.join('.'), expected: shown(value), actual: shown(found) }];
  });
}

/** Returns an expectation in words: `subscription.status active`, `entitlements.seats 5`. */
export const expectationTexts = ({ do: _do, customer: _customer, ...expected }: Expectation): readonly string[] =>
  leavesOf(expected).map(({ path, value }) => `${path.join('.')} ${shown(value)}`);

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leavesOf(value: unknown, path: readonly string[] = []): readonly Leaf[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

function valueAt(actual: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return actual ?? null;
  if (actual === null || typeof actual !== 'object') return null;
  return valueAt(Object.hasOwn(actual, key) ? Reflect.get(actual, key) : null, rest);
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT/;

/** A day is as any time of it. */
function isAs(expected: unknown, actual: unknown): boolean {
  if (Array.isArray(expected)) return Array.isArray(actual) && expected.every(one => actual.includes(one));
  if (typeof expected === 'string' && typeof actual === 'string' && TIME.test(actual)) {
    if (DAY.test(expected)) return actual.startsWith(expected);
    return Date.parse(expected) === Date.parse(actual);
  }
  return expected === actual;
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : [...new Set(value)].join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
