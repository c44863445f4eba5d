import { PROBLEM_CODES, type ProblemCode } from '@billing/contracts/openapi/problem-codes';
import { PROBLEM_STATUS, type ErrorBody } from '@billing/contracts/problem';
import type { ApiResponse, Example, Header, Reference } from './openapi-types.ts';

const REQUEST_ID: Readonly<Record<string, Reference>> = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
};
const RETRY_AFTER: Readonly<Record<string, Reference>> = {
  'Retry-After': { $ref: '#/components/headers/RetryAfter' },
};
/** What is left of the limit that has the least left. */
export const RATE_LIMIT: Readonly<Record<string, Reference>> = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};
const AUTHENTICATE: Readonly<Record<string, Header>> = {
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
};

const allCodes = Object.keys(PROBLEM_CODES) as ProblemCode[]; // an object's keys are typed as string
const statusOf = (code: ProblemCode): number => PROBLEM_STATUS[PROBLEM_CODES[code].kind];

const RETRYABLE_CONFLICTS: readonly ProblemCode[] = ['idempotency_key_in_use', 'conflict'];

const DETAILS: Readonly<Partial<Record<ProblemCode, Record<string, unknown>>>> = {
  validation_error: { fields: [{ path: 'unitAmount', message: 'Too small: expected number to be >=0' }] },
  forbidden: { requiredScope: 'products:write' },
  processor_mismatch: {
    connected: { accountId: 'acct_1Example2eZvKYlo2', livemode: false },
    given: { accountId: 'acct_1Other2eZvKYlo2C3x', livemode: false },
    records: { customers: 1_204, products: 8, prices: 21, subscriptions: 967 },
  },
  webhook_endpoint_not_permitted: { permission: 'rak_webhook_write' },
  quota_exceeded: { quota: 'projects', limit: 20 },
  processor_error: { type: 'card_error', code: 'card_declined', requestId: 'req_a1B2c3D4' },
};

/** One example for each error code, by its code. */
export const errorExamples: Readonly<Record<string, Example>> = Object.fromEntries(
  allCodes.map(code => [code, { summary: PROBLEM_CODES[code].means, value: exampleBody(code) }]),
);

/** One response for each error code, by its code. */
export const errorResponses: Readonly<Record<string, ApiResponse>> = Object.fromEntries(
  allCodes.map(code => [code, responseWith(statusOf(code), [code])]),
);

/** Returns responses by status; a status with a single code refers to the shared response in {@link errorResponses}. */
export function describeErrors(codes: readonly ProblemCode[]): Record<string, ApiResponse | Reference> {
  const byStatus = Map.groupBy(codes, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      ofStatus.length === 1 ? { $ref: `#/components/responses/${ofStatus[0]}` } : responseWith(status, ofStatus),
    ]),
  );
}

function responseWith(status: number, codes: readonly ProblemCode[]): ApiResponse {
  return {
    description: codes.map(code => `\`${code}\`: ${PROBLEM_CODES[code].means}`).join('\n\n'),
    headers: {
      ...REQUEST_ID,
      ...(status === 401 && AUTHENTICATE),
      ...(status === 429 && RATE_LIMIT),
      ...((status === 429 || status === 503 || RETRYABLE_CONFLICTS.some(code => codes.includes(code))) && RETRY_AFTER),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function exampleBody(code: ProblemCode): ErrorBody {
  const details = DETAILS[code];
  const message = PROBLEM_CODES[code].means;
  return { error: { code, message, ...(details && { details }), requestId: '0c4a8f52-6f1e-4f0b-9d0e-5a2f3b7c8d91' } };
}
