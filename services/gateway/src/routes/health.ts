import { Router } from 'express';
import { failing, type Checks } from '@billing/service/health';
import type { Step } from '#http/exchange.ts';
import type { ServiceUrls } from '../env.ts';

/** Shorter than a check may take. */
const CHECK_TIMEOUT_MS = 1_500;

/** `/health/live`: the process runs. `/health/ready`: it and every service is of use; else 503 with what is not. */
export function healthRoutes(checks: Checks): Router {
  const live: Step = (_request, reply) => void reply.json({ status: 'live' });
  // Whoever asks while the services are being asked gets the same answer: no flood of questions passes here.
  let looking: Promise<string[]> | undefined;
  const ready: Step = async (_request, reply) => {
    looking ??= failing(checks).finally(() => (looking = undefined));
    const failed = await looking;
    if (failed.length === 0) reply.json({ status: 'ready' });
    else reply.status(503).json({ status: 'not-ready', failed });
  };
  return Router().get('/health/live', live).get('/health/ready', ready);
}

/** Asks every service whether it is ready. */
export function serviceChecks(urls: ServiceUrls): Checks {
  const check = (url: string) => async () => {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`${url} is not ready.`);
  };
  return Object.fromEntries(Object.entries(urls).map(([service, url]) => [service, check(url)]));
}
