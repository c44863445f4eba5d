import type { z } from 'zod';
import type { sync, syncFinding } from '../../resources/sync.ts';
import { exampleCustomer } from './billing.ts';
import { createdAt, exampleIds } from './shared.ts';

export const exampleSync = {
  id: exampleIds.sync,
  projectId: exampleIds.project,
  mode: 'report',
  status: 'completed',
  types: ['product', 'price', 'customer', 'subscription', 'invoice'],
  filter: { metadata: {}, includeUnmarked: true },
  markAtProcessor: false,
  nightly: false,
  progress: { customer: { read: 815, total: 815 } },
  counts: { customer: { same: 812, missing: 1, different: 1, extra: 0, conflict: 1, skipped: 0, applied: 0 } },
  error: null,
  createdAt,
  startedAt: createdAt,
  finishedAt: createdAt,
} as const satisfies z.input<typeof sync>;

export const exampleFinding = {
  type: 'customer',
  processorId: exampleCustomer.processorCustomerId,
  id: exampleCustomer.id,
  outcome: 'different',
  fields: [{ field: 'name', ours: 'Ada', theirs: 'Ada Lovelace' }],
  reason: null,
  applied: false,
} as const satisfies z.input<typeof syncFinding>;
