import { z } from 'zod';
import { SyncId } from '../ids.ts';
import { exampleFinding, exampleSync } from '../openapi/examples/syncs.ts';
import { examplePagination } from '../openapi/examples/shared.ts';
import { operation, PROJECT_PATH, projectAccess, projectParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { findingOutcome, sync, syncCreate, syncFinding, syncType } from '../resources/sync.ts';

const service = 'webhooks';
const read = projectAccess('customers:read', 'products:read', 'subscriptions:read');
const write = projectAccess('customers:write', 'products:write', 'subscriptions:write');
const params = projectParams.extend({ syncId: SyncId.schema });
const path = `${PROJECT_PATH}/syncs/:syncId` as const;

/** The processor's account and the project's records, compared and made equal. */
export const syncOperations = {
  createSync: operation({
    id: 'createSync',
    service,
    method: 'POST',
    path: `${PROJECT_PATH}/syncs`,
    access: write,
    summary: 'Compare the payment processor’s account with the records, and with `apply` make the records equal to it',
    params: projectParams,
    body: syncCreate,
    status: 202,
    response: z.object({ sync }),
    problems: ['sync_running', 'processor_not_connected'],
    example: { body: { mode: 'report' }, response: { sync: { ...exampleSync, status: 'queued', counts: {} } } },
  }),
  listSyncs: operation({
    id: 'listSyncs',
    service,
    method: 'GET',
    path: `${PROJECT_PATH}/syncs`,
    access: read,
    summary: 'List syncs, newest first',
    params: projectParams,
    query: z.strictObject(pageQuery),
    status: 200,
    response: z.object({ syncs: z.array(sync), pagination }),
    problems: [],
    example: { response: { syncs: [exampleSync], pagination: examplePagination } },
  }),
  getSync: operation({
    id: 'getSync',
    service,
    method: 'GET',
    path,
    access: read,
    summary: 'Get a sync with its progress and counts',
    params,
    status: 200,
    response: z.object({ sync }),
    problems: ['sync_not_found'],
    example: { response: { sync: exampleSync } },
  }),
  cancelSync: operation({
    id: 'cancelSync',
    service,
    method: 'POST',
    path: `${path}/cancel`,
    access: write,
    summary: 'Stop a sync; what it has applied stays',
    params,
    status: 200,
    response: z.object({ sync }),
    problems: ['sync_not_found'],
    example: { response: { sync: { ...exampleSync, status: 'canceled' } } },
  }),
  listSyncFindings: operation({
    id: 'listSyncFindings',
    service,
    method: 'GET',
    path: `${path}/findings`,
    access: read,
    summary: 'List what differs between the account and the records',
    params,
    query: z.strictObject({ type: syncType.optional(), outcome: findingOutcome.optional(), ...pageQuery }),
    status: 200,
    response: z.object({ findings: z.array(syncFinding), pagination }),
    problems: ['sync_not_found'],
    example: {
      query: { type: 'customer', outcome: 'different' },
      response: { findings: [exampleFinding], pagination: examplePagination },
    },
  }),
};
