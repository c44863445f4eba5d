import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { booleanText } from '../text.ts';
import { findingOutcome, findingType, sync, SYNC_KINDS, syncCreate, syncFinding } from '../resources/sync.ts';

/** For syncs with the account, those of customers and subscriptions, too. */
const read = projectAccess('products:read');
const stop = projectAccess('products:write');
const write = projectAccess('customers:write', 'products:write', 'subscriptions:write');
const path = `${PROJECT_PATH}/syncs/:syncId` as const;

/** The processor's account and the project's records, compared and made equal. */
export const syncOperations = declareOperations('webhooks', {
  createSync: {
    route: `POST ${PROJECT_PATH}/syncs`,
    access: write,
    summary: 'Compare the payment processor’s account with the records, and with `apply` make the records equal to it',
    body: syncCreate,
    status: 202,
    response: z.object({ sync }),
    problems: ['sync_running', 'processor_not_connected'],
    example: { response: { sync: { status: 'queued', counts: {} } } },
  },
  listSyncs: {
    route: `GET ${PROJECT_PATH}/syncs`,
    access: read,
    summary: 'List syncs, newest first',
    query: z.strictObject({
      kind: z
        .enum(SYNC_KINDS)
        .optional()
        .describe('Only comparisons with the account, or only with documents of the catalog.'),
      ...pageQuery,
    }),
    response: z.object({ syncs: z.array(sync), pagination }),
  },
  getSync: {
    route: `GET ${path}`,
    access: read,
    summary: 'Get a sync with its progress and counts',
    response: z.object({ sync }),
    problems: ['sync_not_found'],
  },
  cancelSync: {
    route: `POST ${path}/cancel`,
    access: stop,
    summary: 'Stop a sync; what it has applied stays',
    response: z.object({ sync }),
    problems: ['sync_not_found'],
    example: { response: { sync: { status: 'canceled' } } },
  },
  listSyncFindings: {
    route: `GET ${path}/findings`,
    access: read,
    summary: 'List what differs between the account and the records; an API key sees the project’s own objects',
    query: z.strictObject({
      type: findingType.optional().describe('Only objects of this type.'),
      outcome: findingOutcome.optional().describe('Only findings with this outcome.'),
      applied: booleanText.optional().describe('Only what is applied, or only what is not.'),
      ...pageQuery,
    }),
    response: z.object({ findings: z.array(syncFinding), pagination }),
    problems: ['sync_not_found'],
    example: { query: { type: 'customer', outcome: 'different' } },
  },
});
