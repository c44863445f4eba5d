import type { ServiceSchema } from '@billing/service/definition';
import { EndpointLease } from './endpoint-lease.entity.ts';
import { CreateWebhooks } from './migrations/0001-create-webhooks.ts';
import { AccountPurge } from './account-purge.entity.ts';
import { ProcessorAccount } from './processor-account.entity.ts';
import { ProjectCopy } from './project-copy.entity.ts';
import { Reconciliation } from './reconciliation.entity.ts';
import { RefusedSignature } from './refused-signature.entity.ts';
import { Route } from './route.entity.ts';
import { SigningSecret } from './signing-secret.entity.ts';
import { SyncObject } from './sync-object.entity.ts';
import { Sync } from './sync.entity.ts';
import { WebhookEvent } from './webhook-event.entity.ts';

/** The service's own tables. */
export const webhooksSchema: ServiceSchema = {
  entities: [
    ProcessorAccount,
    SigningSecret,
    WebhookEvent,
    Route,
    ProjectCopy,
    Reconciliation,
    EndpointLease,
    AccountPurge,
    RefusedSignature,
    Sync,
    SyncObject,
  ],
  backlog: ['webhook_events'],
  migrations: [{ name: '0001-create-webhooks', class: CreateWebhooks }],
};
