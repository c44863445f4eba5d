import { PROBLEM_CODES, type ProblemCode } from '@billing/contracts/problem-codes';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import { errorBody, PROBLEM_STATUS, type ErrorBody } from '@billing/contracts/problem';
import { z } from 'zod';
import type { ZodOpenApiExampleObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { authenticate, rateLimit, requestId, retryAfter } from './headers.ts';

const allCodes = Object.keys(PROBLEM_CODES) as ProblemCode[]; // an object's keys are typed as string
const statusOf = (code: ProblemCode): number => PROBLEM_STATUS[PROBLEM_CODES[code].kind];

const RETRYABLE_CONFLICTS: readonly ProblemCode[] = ['idempotency_key_in_use', 'conflict'];

const DETAILS: Readonly<Partial<Record<ProblemCode, Record<string, unknown>>>> & ProblemDetails = {
  validation_error: { fields: [{ path: 'unitAmount', message: 'At least 0.' }] },
  forbidden: { requiredScope: 'products:write' },
  processor_mismatch: {
    connected: { accountId: 'acct_1Example2eZvKYlo2', livemode: false },
    given: { accountId: 'acct_1Other2eZvKYlo2C3x', livemode: false },
    records: { customers: 1_204, products: 8, prices: 21, subscriptions: 967 },
  },
  webhook_endpoint_not_permitted: { permission: 'rak_webhook_write' },
  amount_changed: { expected: 2_113, actual: 2_150 },
  currency_amount_set: { currency: 'eur' },
  currency_mismatch: { subscription: 'usd', price: 'eur' },
  customer_currency_mismatch: { customer: 'usd', wanted: 'eur' },
  payment_required: { amountDue: 2_999 },
  payment_failed: { reason: 'declined', declineCode: 'insufficient_funds' },
  refund_too_large: { refundable: 1_999 },
  quota_exceeded: { quota: 'projects', limit: 20 },
  processor_error: { type: 'card_error', code: 'card_declined', requestId: 'req_a1B2c3D4' },
};

/** One example for each error code, by its code; each becomes a component. */
const examples = Object.fromEntries(
  allCodes.map((code): [string, ZodOpenApiExampleObject] => [
    code,
    { id: code, summary: PROBLEM_CODES[code].means, value: exampleBody(code) },
  ]),
);

/** One response for each error code, by its code; each that is alone at a status becomes a component. */
const responses = new Map(allCodes.map(code => [code, { id: code, ...responseWith(statusOf(code), [code]) }]));

/** Returns responses by status; those with a single code are shared. */
export function describeErrors(codes: readonly ProblemCode[]): ZodOpenApiResponsesObject {
  const byStatus = Map.groupBy(codes, statusOf);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const [single, ...others] = ofStatus;
      const shared = single && others.length === 0 ? responses.get(single) : undefined;
      return [status, shared ?? responseWith(status, ofStatus)];
    }),
  );
}

function responseWith(status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const isRetryable = status === 429 || status === 503 || RETRYABLE_CONFLICTS.some(code => codes.includes(code));
  return {
    description: codes.map(code => `\`${code}\`: ${PROBLEM_CODES[code].means}`).join('\n\n'),
    headers: z.object({
      ...requestId,
      ...(status === 401 && authenticate),
      ...(status === 429 && rateLimit),
      ...(isRetryable && retryAfter),
    }),
    content: {
      'application/json': {
        schema: errorBody,
        examples: Object.fromEntries(codes.map(code => [code, examples[code] ?? {}])),
      },
    },
  };
}

function exampleBody(code: ProblemCode): ErrorBody {
  const details = DETAILS[code];
  const message = PROBLEM_CODES[code].means;
  return { error: { code, message, ...(details && { details }), requestId: '0c4a8f52-6f1e-4f0b-9d0e-5a2f3b7c8d91' } };
}
