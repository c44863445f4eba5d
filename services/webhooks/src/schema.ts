import type { ServiceSchema } from '@billing/service/definition';
import { preparePartitions } from './outgoing/partitions.ts';
import { CreateWebhooks } from './migrations/0001-create-webhooks.ts';
import { CreateOutgoing } from './migrations/0002-create-outgoing.ts';
import { CreateCatalogRuns } from './migrations/0003-create-catalog-runs.ts';
import { CatalogRun } from './catalog/catalog-run.entity.ts';
import { ProcessorAccount } from './accounts/processor-account.entity.ts';
import { Sync } from './sync/sync.entity.ts';
import { WebhookEndpoint } from './outgoing/webhook-endpoint.entity.ts';

/** The service's own tables; those without an entity are read and written by SQL alone, and the migration describes them. */
export const webhooksSchema: ServiceSchema = {
  entities: [CatalogRun, ProcessorAccount, Sync, WebhookEndpoint],
  backlog: ['webhook_events'],
  migrations: [
    { name: '0001-create-webhooks', class: CreateWebhooks },
    { name: '0002-create-outgoing', class: CreateOutgoing },
    { name: '0003-create-catalog-runs', class: CreateCatalogRuns },
  ],
  prepare: preparePartitions,
};
