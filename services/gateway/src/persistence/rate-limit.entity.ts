import { defineEntity, p } from '@mikro-orm/postgresql';

/** How many points of a rate limit a key has used in its current window. */
const RateLimitSchema = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    key: p.text().primary(),
    points: p.integer(),
    /** When the window ends, in milliseconds since 1970. */
    expire: p.bigint().nullable(),
  },
});

export class RateLimit extends RateLimitSchema.class {}
RateLimitSchema.setClass(RateLimit);
