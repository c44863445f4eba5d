import { PROBLEM_CODES, type ProblemCode } from '@billing/contracts/openapi/problem-codes';
import { PROBLEM_STATUS, type ErrorBody } from '@billing/contracts/problem';
import type { Answer, Example, Header, Reference } from './openapi.ts';

const REQUEST_ID: Readonly<Record<string, Reference>> = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
};
const RETRY_AFTER: Readonly<Record<string, Reference>> = {
  'Retry-After': { $ref: '#/components/headers/RetryAfter' },
};
const AUTHENTICATE: Readonly<Record<string, Header>> = {
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
};

const codes = Object.keys(PROBLEM_CODES) as ProblemCode[]; // an object's keys are typed as string
const statusOf = (code: ProblemCode): number => PROBLEM_STATUS[PROBLEM_CODES[code].kind];

const DETAILS: Readonly<Partial<Record<ProblemCode, Record<string, unknown>>>> = {
  validation_error: { fields: [{ path: 'unitAmount', message: 'Too small: expected number to be >=0' }] },
  forbidden: { requiredScope: 'products:write' },
  processor_error: { type: 'card_error', code: 'card_declined', requestId: 'req_a1B2c3D4' },
};

/** An example of every refusal, by its code. */
export const refusalExamples: Readonly<Record<string, Example>> = Object.fromEntries(
  codes.map(code => [code, { summary: PROBLEM_CODES[code].means, value: bodyOf(code) }]),
);

/** The answer that says one code, by that code. */
export const refusalAnswers: Readonly<Record<string, Answer>> = Object.fromEntries(
  codes.map(code => [code, answerOf(statusOf(code), [code])]),
);

/** The answers that say the codes, by status; a status with one code refers to what is told once. */
export function describeRefusals(refusals: readonly ProblemCode[]): Record<string, Answer | Reference> {
  const byStatus = Map.groupBy(refusals, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      of.length === 1 ? { $ref: `#/components/responses/${of[0]}` } : answerOf(status, of),
    ]),
  );
}

function answerOf(status: number, of: readonly ProblemCode[]): Answer {
  const told = of.map(code => `\`${code}\`: ${PROBLEM_CODES[code].means}`);
  return {
    description: told.join('\n\n'),
    headers: {
      ...REQUEST_ID,
      ...(status === 401 && AUTHENTICATE),
      ...((status === 429 || status === 503 || of.includes('idempotency_key_in_use')) && RETRY_AFTER),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(of.map(code => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function bodyOf(code: ProblemCode): ErrorBody {
  const details = DETAILS[code];
  const message = PROBLEM_CODES[code].means;
  return { error: { code, message, ...(details && { details }), requestId: '0c4a8f52-6f1e-4f0b-9d0e-5a2f3b7c8d91' } };
}
