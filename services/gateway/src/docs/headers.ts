import { z } from 'zod';

/** Not required of every response that may have it. */
const header = (id: string, description: string, schema: z.ZodType) =>
  schema.optional().meta({ header: { id, description } });
const count = z.int().min(1);

// The headers of responses, by name.

export const requestId = {
  'X-Request-Id': header('RequestId', 'The id of the request: the one that was sent, or a new one.', z.string()),
};

export const retryAfter = {
  'Retry-After': header('RetryAfter', 'Seconds to wait before another try.', count),
};

/** What is left of the limit that has the least left. */
export const rateLimit = {
  'X-RateLimit-Limit': header(
    'RateLimitLimit',
    'Requests that the limit with the least left allows in its window.',
    count,
  ),
  'X-RateLimit-Remaining': header('RateLimitRemaining', 'How many of them are left.', z.int().min(0)),
  'X-RateLimit-Reset': header('RateLimitReset', 'Seconds until the window ends and all are allowed again.', count),
};

export const idempotentReplayed = {
  'Idempotent-Replayed': header(
    'IdempotentReplayed',
    'Present when this is the stored response of an earlier request with the same Idempotency-Key.',
    z.literal('true'),
  ),
};

export const etag = {
  ETag: header(
    'Tag',
    'Changes with the response: send it as If-None-Match, and get 304 while it is the same.',
    z.string(),
  ),
};

export const authenticate = {
  'WWW-Authenticate': header('Authenticate', 'How to authenticate.', z.literal('Bearer')),
};
