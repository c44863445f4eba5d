import type { ServiceSchema } from '@billing/service/definition';
import { CreateWebhooks } from './migrations/0001-create-webhooks.ts';
import {
  AccountPurge,
  EndpointLease,
  ProcessorAccount,
  Reconciliation,
  RefusedSignature,
  SigningSecret,
} from './processor-account.entity.ts';
import { CustomerLookUp, ProjectCopy, Route } from './route.entity.ts';
import { Sync, SyncObject } from './sync.entity.ts';
import { WebhookEvent } from './webhook-event.entity.ts';

/** The service's own tables. */
export const webhooksSchema: ServiceSchema = {
  entities: [
    ProcessorAccount,
    SigningSecret,
    WebhookEvent,
    Route,
    ProjectCopy,
    CustomerLookUp,
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
