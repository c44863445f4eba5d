import { Router } from 'express';
import { describeLife, describeReadiness, type Checks, type HealthChecks } from '@billing/service/health';
import type { Handler } from '#http/request-context.ts';
import type { ServiceUrls } from '../env.ts';

/** Shorter than the timeout of a whole check. */
const CHECK_TIMEOUT_MS = 1_500;

/**
 * `/health/live`: the process runs. `/health/ready`: the gateway's dependencies and all services are ready, otherwise
 * 503 with the names of those that are not.
 */
export function healthRoutes(health: HealthChecks): Router {
  const live: Handler = (_request, response) => void response.json(describeLife(health));
  // Concurrent requests share one round of checks, so a burst of them does not reach the services.
  let currentRound: ReturnType<typeof describeReadiness> | undefined;
  const ready: Handler = async (_request, response) => {
    currentRound ??= describeReadiness(health).finally(() => (currentRound = undefined));
    const { status, body } = await currentRound;
    response.status(status).json(body);
  };
  return Router().get('/health/live', live).get('/health/ready', ready);
}

/** One check for each service: it is ready. */
export function serviceChecks(urls: ServiceUrls): Checks {
  const check = (url: string) => async () => {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`${url} is not ready.`);
  };
  return Object.fromEntries(Object.entries(urls).map(([service, url]) => [service, check(url)]));
}
