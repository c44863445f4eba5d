import { z } from 'zod';
import type { ServiceHealth } from '../checks/reachability.ts';

/** Longer than a service takes to check its dependencies. */
const TIMEOUT_MS = 5_000;

const health = z.object({ failed: z.array(z.string()).default([]) });

/** What a service said about itself, and its clock by the `Date` header: in milliseconds, null without one. */
export interface ServiceResponse extends ServiceHealth {
  readonly clockOffsetMs: number | null;
}

/** Asks each service whether it is ready. */
export const readServices = (urls: ReadonlyMap<string, string>): Promise<ServiceResponse[]> =>
  Promise.all([...urls].map(([service, url]) => readService(service, url)));

async function readService(service: string, url: string): Promise<ServiceResponse> {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { failed } = health.parse(await response.json());
    const date = Date.parse(response.headers.get('date') ?? '');
    return { service, url, failed, clockOffsetMs: Number.isNaN(date) ? null : date - Date.now() };
  } catch {
    return { service, url, failed: null, clockOffsetMs: null };
  }
}
