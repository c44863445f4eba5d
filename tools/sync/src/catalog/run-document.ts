import type { BillingClient, Sync, SyncFinding } from '@billing/client';
import { follow, requireCompleted } from '../follow.ts';
import { collect } from './collect.ts';

type Document = Parameters<BillingClient['catalog']['apply']>[0];

/** A comparison of a document that has ended, and all it has found. */
export interface EndedRun {
  readonly run: Sync;
  readonly findings: readonly SyncFinding[];
}

/** Nobody watches a comparison: it takes a few seconds. */
const UNSEEN = { show: () => undefined, stop: () => undefined };

/**
 * Compares a document, or applies it, and follows that to its end.
 * @throws Error when it did not complete; BillingError for what the service refuses
 */
export async function runDocument({ catalog, syncs }: BillingClient, document: Document): Promise<EndedRun> {
  const { id } = await catalog.apply(document);
  const run = await follow<Sync>(options => syncs.get(id, options), UNSEEN);
  requireCompleted(run);
  return { run, findings: await collect(syncs.findings(id, { limit: 100 })) };
}
