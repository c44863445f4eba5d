import { withTimeout } from '@billing/messaging/timed-transaction';
import type { FastifyInstance } from 'fastify';

/** Dependencies of a service by name; a check rejects when its dependency is unavailable. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

/** What `/health/ready` says of a process. */
export interface HealthChecks {
  /** Without these nothing can be served. */
  readonly checks: Checks;
  /** Without these reads go on, and writes wait or are finished later. */
  readonly degradedWithout?: Checks | undefined;
  /** Whether the process was asked to end: it finishes what it has, and nothing new should be sent to it. */
  readonly isClosing?: (() => boolean) | undefined;
}

/** A status of HTTP and a body. */
interface HealthResponse {
  readonly status: 200 | 503;
  readonly body: { readonly status: string } & Readonly<Record<string, unknown>>;
}

const CHECK_TIMEOUT_MS = 2_000;

/**
 * Adds `/health/live`, which succeeds while the process runs, and `/health/ready`, which succeeds while it can serve
 * requests. Load balancers may use either: a process that closes says so in both.
 */
export function registerHealth(app: Pick<FastifyInstance, 'get'>, health: HealthChecks): void {
  app.get('/health/live', async () => describeLife(health));
  app.get('/health/ready', async (_request, reply) => {
    const { status, body } = await describeReadiness(health);
    return reply.code(status).send(body);
  });
}

/** The body of `/health/live`. */
export const describeLife = ({ isClosing }: HealthChecks): { readonly status: 'live' | 'closing' } => ({
  status: isClosing?.() ? 'closing' : 'live',
});

/** The response to `/health/ready`: 503 while the process closes or a needed dependency fails, which it names. */
export async function describeReadiness({ checks, degradedWithout, isClosing }: HealthChecks): Promise<HealthResponse> {
  if (isClosing?.()) return { status: 503, body: { status: 'closing' } };
  const [failed, degraded] = await Promise.all([failedChecks(checks), failedChecks(degradedWithout ?? {})]);
  if (failed.length > 0) return { status: 503, body: { status: 'not-ready', failed: [...failed, ...degraded] } };
  return { status: 200, body: { status: 'ready', ...(degraded.length > 0 && { degraded }) } };
}

/** Returns the names of the checks that fail or take longer than two seconds. */
async function failedChecks(checks: Checks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(([name, check]) =>
      withTimeout(check(), CHECK_TIMEOUT_MS, name).then(
        () => [],
        () => [name],
      ),
    ),
  );
  return results.flat();
}
