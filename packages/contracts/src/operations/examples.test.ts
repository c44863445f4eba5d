import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exampleOf } from '../example.ts';
import { PROBLEM_CODES } from '../problem-codes.ts';
import { allOperations } from './index.ts';

const byId = allOperations.map(operation => [operation.id, operation] as const);

describe('the example of', () => {
  it.each(byId)('%s is a valid request', (_id, { params, query, body, example }) => {
    const results = [
      params.safeParse(exampleOf(params)),
      query?.safeParse(example.query ?? {}),
      body?.safeParse(example.body),
    ];
    expect(results.map(result => result?.error)).toEqual([undefined, undefined, undefined]);
  });

  it.each(byId)('%s is a valid response without extra fields', (_id, { response, example }) => {
    expect(response.encode(response.decode(example.response))).toEqual(example.response);
  });
});

describe('null', () => {
  it.each(optionalFields())('is the same as nothing in %s of %s', (field, _id, body, example) => {
    const { [field]: _given, ...without } = example;
    expect(body.parse({ ...without, [field]: null })).toEqual(body.parse(without));
  });
});

/** In an update null clears a field, and what is left out stays. */
const isUpdate = (method: string, path: string) => method === 'PATCH' || /\/change(\/preview)?$/.test(path);

/** The fields that a request other than an update may leave out, each with its operation's body and the example of it. */
function optionalFields() {
  return allOperations.flatMap(({ id, method, path, body, example }) => {
    if (!(body instanceof z.ZodObject) || isUpdate(method, path)) return [];
    const given = example.body as Record<string, unknown>; // every object has an example
    const fields = Object.keys(body.shape).filter(field => body.safeParse({ ...given, [field]: undefined }).success);
    return fields.map(field => [field, id, body, given] as const);
  });
}

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
