import type { FastifyInstance } from 'fastify';

/** What a service needs to be of use, each by a name; a check rejects when its thing is away. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

const CHECK_TIMEOUT_MS = 2_000;

/** `/health/live`: the process runs. `/health/ready`: all it needs answers; else 503 with the names of what does not. */
export function registerHealth(app: Pick<FastifyInstance, 'get'>, checks: Checks): void {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    const failed = await failing(checks);
    if (failed.length === 0) return { status: 'ready' };
    return reply.code(503).send({ status: 'not-ready', failed });
  });
}

/** The names of the checks that fail or take longer than two seconds. */
export async function failing(checks: Checks): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const ok = await Promise.race([
        check().then(
          () => true,
          () => false,
        ),
        late(),
      ]);
      return ok ? [] : [name];
    }),
  );
  return results.flat();
}

function late(): Promise<false> {
  return new Promise(resolve => setTimeout(() => resolve(false), CHECK_TIMEOUT_MS).unref());
}
