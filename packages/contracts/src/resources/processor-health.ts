import { z } from 'zod';

export const HEALTH_CHECKS = ['key', 'endpoint', 'signatures', 'events', 'drift', 'clock'] as const;
export type HealthCheckName = (typeof HEALTH_CHECKS)[number];

export const CHECK_STATUSES = ['ok', 'warning', 'failed', 'unknown'] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

const check = z.object({
  name: z.enum(HEALTH_CHECKS),
  status: z.enum(CHECK_STATUSES),
  /** What was found. */
  detail: z.string(),
  /** What to do; null where nothing is to be done. */
  fix: z.string().nullable(),
});
export type HealthCheck = z.output<typeof check>;

/** Whether a team's connection to the processor works. */
export const processorHealth = z.object({ status: z.enum(['ok', 'degraded', 'broken']), checks: z.array(check) });
export type ProcessorHealth = z.output<typeof processorHealth>;
