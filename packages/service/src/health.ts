import type { FastifyInstance } from 'fastify';

/** Dependencies of a service by name; a check rejects when its dependency is unavailable. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

const CHECK_TIMEOUT_MS = 2_000;

/**
 * Adds `/health/live`, which succeeds while the process runs, and `/health/ready`, which succeeds when every check does and
 * otherwise returns 503 with the names of the failed checks.
 */
export function registerHealth(app: Pick<FastifyInstance, 'get'>, checks: Checks): void {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    const failed = await failedChecks(checks);
    if (failed.length === 0) return { status: 'ready' };
    return reply.code(503).send({ status: 'not-ready', failed });
  });
}

/** Returns the names of the checks that fail or take longer than two seconds. */
export async function failedChecks(checks: Checks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const ok = await Promise.race([
        check().then(
          () => true,
          () => false,
        ),
        timeOut(),
      ]);
      return ok ? [] : [name];
    }),
  );
  return results.flat();
}

function timeOut(): Promise<false> {
  return new Promise(resolve => setTimeout(() => resolve(false), CHECK_TIMEOUT_MS).unref());
}
