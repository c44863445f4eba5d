import type { ServiceSchema } from '@billing/service/definition';
import { EndpointLease } from './endpoint-lease.entity.ts';
import { CustomerLookUp } from './customer-look-up.entity.ts';
import { CreateWebhooks } from './migrations/0001-create-webhooks.ts';
import { ForeignEvents } from './migrations/0002-foreign-events.ts';
import { AccountPurge } from './account-purge.entity.ts';
import { Purges } from './migrations/0004-purges.ts';
import { Connections } from './migrations/0003-connections.ts';
import { TurnsOfTeams } from './migrations/0005-turns-of-teams.ts';
import { AnnounceAccounts } from './migrations/0006-announce-accounts.ts';
import { RefusedSignatures } from './migrations/0008-refused-signatures.ts';
import { Syncs } from './migrations/0007-syncs.ts';
import { DueUpdatesOfObjects } from './migrations/0009-due-updates-of-objects.ts';
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
    CustomerLookUp,
    EndpointLease,
    AccountPurge,
    RefusedSignature,
    Sync,
    SyncObject,
  ],
  backlog: ['webhook_events'],
  migrations: [
    { name: '0001-create-webhooks', class: CreateWebhooks },
    { name: '0002-foreign-events', class: ForeignEvents },
    { name: '0003-connections', class: Connections },
    { name: '0004-purges', class: Purges },
    { name: '0005-turns-of-teams', class: TurnsOfTeams },
    { name: '0006-announce-accounts', class: AnnounceAccounts },
    { name: '0007-syncs', class: Syncs },
    { name: '0008-refused-signatures', class: RefusedSignatures },
    { name: '0009-due-updates-of-objects', class: DueUpdatesOfObjects },
  ],
};
