import { z } from 'zod';

const HEALTH_CHECKS = ['key', 'endpoint', 'signatures', 'events', 'drift', 'tax', 'storage', 'clock'] as const;
export type HealthCheckName = (typeof HEALTH_CHECKS)[number];

const CHECK_STATUSES = ['ok', 'warning', 'failed', 'unknown'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

const check = z.object({
  name: z.enum(HEALTH_CHECKS),
  status: z.enum(CHECK_STATUSES),
  detail: z.string().describe('What was found.'),
  fix: z.string().nullable().describe('What to do; null where nothing is to be done.'),
});
export type HealthCheck = z.output<typeof check>;

export const processorHealth = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'broken'])
      .describe('`broken` when the key or the endpoint does not work, `degraded` when another check found something.'),
    checks: z.array(check).describe('Each with what it found, and what to do about it.'),
  })
  .meta({
    id: 'ProcessorHealth',
    description: 'Whether the connection to the payment processor works.',
    example: {
      status: 'degraded',
      checks: [
        { name: 'key', status: 'ok', detail: 'The payment processor accepts the key.', fix: null },
        {
          name: 'endpoint',
          status: 'warning',
          detail: 'The webhook endpoint lacks the types invoice.voided.',
          fix: 'Add these types to the endpoint in the Stripe Dashboard.',
        },
      ],
    },
  });
export type ProcessorHealth = z.output<typeof processorHealth>;
