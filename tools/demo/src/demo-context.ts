import { BillingClient } from '@billing/client';
import type { DemoState } from './demo-state.ts';

/** The parameters that all steps of the demo share. */
export interface DemoContext {
  readonly gatewayUrl: string;
  readonly processorUrl: string;
  readonly send: typeof fetch;
  readonly report: (step: string) => void;
  readonly deadlineMs: number;
  /** Lifetime of portal links, in milliseconds. */
  readonly linkMs: number;
}

/** Returns a client that calls the API as a tenant's backend does, with an API key. */
export function clientOf(
  { gatewayUrl, send }: DemoContext,
  { apiKey, teamId, projectId }: Pick<DemoState, 'apiKey' | 'teamId' | 'projectId'>,
): BillingClient {
  return new BillingClient({ baseUrl: gatewayUrl, apiKey, teamId, projectId, fetch: send });
}
