import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { ServiceName } from '@billing/contracts/operation';

const ProcessorAccountSchema = defineEntity({
  name: 'ProcessorAccount',
  tableName: 'processor_accounts',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Stripe's id of the account that the key belongs to. */
    accountId: p.text(),
    livemode: p.boolean(),
    publishableKey: p.text().strictNullable(),
    /** Opens with the credentials key, for this team only; null while the team is disconnected. */
    sealedSecretKey: p.text().strictNullable(),
    secretKeyLast4: p.text(),
    /** The webhook endpoint at Stripe that this service made for the connection; null for one that others made. */
    webhookEndpointId: p.text().strictNullable(),
    /** Grows each time credentials are connected. */
    version: p.integer(),
    connectedAt: p.datetime(),
    updatedAt: p.datetime(),
    /** Set while the team is disconnected: the records of the account stay. */
    disconnectedAt: p.datetime().strictNullable(),
    /** Set once everything was deleted that mirrored it: any account may be connected then. */
    purgedAt: p.datetime().strictNullable(),
  },
});

/** The Stripe account to which a team is connected, or was last. */
export class ProcessorAccount extends ProcessorAccountSchema.class {}
ProcessorAccountSchema.setClass(ProcessorAccount);

const SigningSecretSchema = defineEntity({
  name: 'SigningSecret',
  tableName: 'signing_secrets',
  indexes: [{ name: 'signing_secrets_team', properties: ['teamId'] }],
  properties: {
    id: p.uuid().primary(),
    teamId: p.text().$type<TeamId>(),
    /** Opens with the credentials key, for this team only. */
    sealedSecret: p.text(),
    /** Null for the current one and the additional ones; a replaced one is accepted until then. */
    validUntil: p.datetime().nullable(),
    /** Of one more endpoint; valid as long as it is listed. */
    isAdditional: p.boolean(),
  },
});

/** A secret with which Stripe signs a team's events. */
export class SigningSecret extends SigningSecretSchema.class {}
SigningSecretSchema.setClass(SigningSecret);

const EndpointLeaseSchema = defineEntity({
  name: 'EndpointLease',
  tableName: 'endpoint_leases',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    leaseId: p.uuid(),
    leasedUntil: p.datetime(),
  },
});

/** The right of one request to make and delete a team's webhook endpoints at Stripe. */
export class EndpointLease extends EndpointLeaseSchema.class {}
EndpointLeaseSchema.setClass(EndpointLease);

const RefusedSignatureSchema = defineEntity({
  name: 'RefusedSignature',
  tableName: 'refused_signatures',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    minute: p.datetime().primary(),
    refused: p.integer(),
  },
});

/** How many webhooks of a team had a signature that was refused, in one minute. */
export class RefusedSignature extends RefusedSignatureSchema.class {}
RefusedSignatureSchema.setClass(RefusedSignature);

const ReconciliationSchema = defineEntity({
  name: 'Reconciliation',
  tableName: 'reconciliations',
  indexes: [{ name: 'reconciliations_due', properties: ['dueAt'] }],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Another Stripe account has other events: for one the scan starts again. */
    accountId: p.text(),
    /** Every event from before then, by Stripe's time, has been scanned. */
    scannedUntil: p.datetime(),
    /** Whether events that went undelivered before the account was connected have been scanned. */
    hasBackfilled: p.boolean(),
    /** When to scan next; the end of the lease while a scan runs. */
    dueAt: p.datetime(),
    leaseId: p.uuid().nullable(),
    /** Scans that failed one after another. */
    failures: p.integer(),
  },
});

/** How far a team's events at Stripe have been scanned for events that no webhook delivered. */
export class Reconciliation extends ReconciliationSchema.class {}
ReconciliationSchema.setClass(Reconciliation);

const AccountPurgeSchema = defineEntity({
  name: 'AccountPurge',
  tableName: 'account_purges',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    purgeId: p.uuid(),
    step: p.text().$type<'started' | 'finished'>(),
    /** The team's projects when it began. */
    projectIds: p.array<ProjectId>(value => value as ProjectId), // the column holds nothing else
    /** The services that have done the step. */
    reported: p.array<ServiceName>(value => value as ServiceName), // the column holds nothing else
    /** The latest time of a report, by the clock of its service. */
    until: p.datetime(),
  },
});

/** A purge under way: which services have deleted what mirrors a team's account. */
export class AccountPurge extends AccountPurgeSchema.class {}
AccountPurgeSchema.setClass(AccountPurge);
