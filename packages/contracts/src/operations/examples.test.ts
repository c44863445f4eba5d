import { describe, expect, it } from 'vitest';
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
