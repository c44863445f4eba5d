import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidObject } from '../src/snapshots/fields.ts';
import { SHAPES } from './object-shapes.ts';
import type { Path } from './shape.ts';

const ABSENT = Symbol('absent');

/** Returns a copy of the object with another value at a path; a path that does not exist changes nothing. */
function changed(object: object, path: Path, value: unknown): object {
  const copy = structuredClone(object);
  const last = path.at(-1) ?? '';
  const parent: unknown = path.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(Object(at), key), copy);
  if (typeof parent !== 'object' || parent === null) return copy;
  if (value === ABSENT) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return copy;
}

/** Returns every path of an object. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, inside]) => pathsOf(inside, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

/** Returns how parsing ends; anything but `parsed` and `rejected` is a bug. */
function outcomeOf(parse: () => unknown): string {
  try {
    parse();
    return 'parsed';
  } catch (err) {
    return err instanceof InvalidObject ? 'rejected' : `failed: ${String(err)}`;
  }
}

describe.each(SHAPES)('$name', ({ read, object, words, optional }) => {
  it('is parsed with any word for a status, reason or type', () => {
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.string(), (path, word) => {
        expect(() => read(changed(object, path, word))).not.toThrow();
      }),
    );
  });

  it('is parsed without optional fields, absent or null', () => {
    const missing = fc
      .subarray([...optional])
      .chain(paths =>
        fc.tuple(...paths.map(path => fc.constantFrom(ABSENT, null).map(value => [path, value] as const))),
      );
    fc.assert(
      fc.property(missing, changes => {
        const incomplete = changes.reduce((rest, [path, value]) => changed(rest, path, value), object);
        expect(Object.values(Object(read(incomplete)))).not.toContain(undefined);
      }),
    );
  });

  it('is parsed or rejected with any value in any field', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(ABSENT, 1e300, -1, 0.5, ''));
    fc.assert(
      fc.property(fc.constantFrom(...pathsOf(object)), value, (path, other) => {
        expect(outcomeOf(() => read(changed(object, path, other)))).toMatch(/^(parsed|rejected)$/);
      }),
      { numRuns: runs(500) },
    );
  });
});
