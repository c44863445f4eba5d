import { BillingClient } from '@billing/client';
import type { DemoState } from './demo-state.ts';

/** What every part of the demo works with. */
export interface Demo {
  readonly gatewayUrl: string;
  readonly processorUrl: string;
  readonly send: typeof fetch;
  readonly report: (step: string) => void;
  readonly deadlineMs: number;
  /** How long links to the portal work, in milliseconds. */
  readonly linkMs: number;
}

/** A tenant's backend, which calls the service with its key. */
export function clientOf(
  { gatewayUrl, send }: Demo,
  { apiKey, teamId, projectId }: Pick<DemoState, 'apiKey' | 'teamId' | 'projectId'>,
): BillingClient {
  return new BillingClient({ baseUrl: gatewayUrl, apiKey, teamId, projectId, fetch: send });
}
