import { describe, expect, it } from 'vitest';
import { allOperations } from '../operations/index.ts';
import { namedSchemas } from './named-schemas.ts';
import { PATH_PARAMETERS } from './parameters.ts';
import { PROBLEM_CODES } from './problem-codes.ts';

const byId = allOperations.map(operation => [operation.id, operation] as const);

describe('the example of', () => {
  it.each(byId)('%s is a valid request', (_id, { path, params, query, body, example }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as keyof typeof PATH_PARAMETERS); // the type lists every path parameter
    const inPath = Object.fromEntries(names.map(name => [name, PATH_PARAMETERS[name].example]));
    const results = [params.safeParse(inPath), query?.safeParse(example.query ?? {}), body?.safeParse(example.body)];
    expect(results.map(result => result?.error)).toEqual([undefined, undefined, undefined]);
  });

  it.each(byId)('%s is a valid response without extra fields', (_id, { response, example }) => {
    expect(response.encode(response.decode(example.response))).toEqual(example.response);
  });
});

it('names each schema once', () => {
  expect(new Set(namedSchemas.map(({ name }) => name)).size).toBe(namedSchemas.length);
  expect(new Set(namedSchemas.map(({ schema }) => schema)).size).toBe(namedSchemas.length);
});

it('declares each problem code once per operation, without the general codes', () => {
  const generalKinds = ['validation', 'unauthorized', 'forbidden', 'rate_limited', 'internal', 'unavailable'];
  for (const { problems } of allOperations) {
    expect(new Set(problems).size).toBe(problems.length);
    const general = problems.filter(code => generalKinds.includes(PROBLEM_CODES[code].kind));
    expect(general.filter(code => PROBLEM_CODES[code].kind !== 'validation' || code === 'validation_error')).toEqual(
      [],
    );
  }
});
