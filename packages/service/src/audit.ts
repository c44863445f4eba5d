import { isDeepStrictEqual } from 'node:util';
import { AuditRecorded } from '@billing/contracts/events/audit';
import { AuditEntryId, type TeamId } from '@billing/contracts/ids';
import type {
  AuditChange,
  AuditContext,
  AuditEntry,
  AuditTarget,
  AuditValue,
  CommandAction,
} from '@billing/contracts/resources/audit-entry';
import type { Operation } from '@billing/contracts/operation';
import type { Outbox, Publish } from '@billing/messaging/outbox';
import type { FastifyRequest } from 'fastify';
import { derivedId } from './derived-id.ts';
import type { Principal } from './identity-token.ts';

/** Longer texts are cut off. */
const MAX_TEXT = 200;

/** What a write changed. */
export interface Audited {
  readonly target: AuditTarget;
  readonly changes: readonly AuditChange[];
}

/** Returns the id of a request's entry: with an `Idempotency-Key` the same each time it runs. */
export const auditEntryId = (operationKey: string | undefined): AuditEntryId =>
  operationKey === undefined ? AuditEntryId.create() : derivedId(AuditEntryId, operationKey, 'audit-entry');

/** Returns the entry of a write that succeeded, unless `outcome` says that it was refused. */
export const auditEntryOf = (
  context: AuditContext,
  { target, changes, outcome = 'succeeded' }: Partial<Audited> & Partial<Pick<AuditEntry, 'outcome'>>,
): AuditEntry => ({
  ...context,
  at: new Date(),
  target: target ?? null,
  outcome,
  changes: [...(changes ?? [])],
});

/** Records a write in the audit log of its team, if the transaction of `publish` commits. */
export function recordAudit(publish: Publish, teamId: TeamId, context: AuditContext, audited: Audited): void {
  publish(AuditRecorded, teamId, auditEntryOf(context, audited));
}

/** Records a write that changes nothing. */
export const recordUnchanged = (
  outbox: Outbox,
  teamId: TeamId,
  context: AuditContext,
  target: AuditTarget,
): Promise<void> =>
  outbox.transaction(async (_tx, publish) => recordAudit(publish, teamId, context, { target, changes: [] }));

/** Returns who makes a write, as the gateway has signed it; a holder of a portal token is not known yet. */
export const auditOf = (
  { principal, caller, id }: Pick<FastifyRequest, 'principal' | 'caller' | 'id'>,
  { id: action }: Pick<Operation, 'id'>,
  operationKey?: string,
): AuditContext => ({
  id: auditEntryId(operationKey),
  actor: actorOf(principal),
  action,
  projectId: principal.kind === 'anonymous' ? null : principal.projectId,
  requestId: caller?.requestId ?? id,
  address: caller?.address ?? null,
});

/** Returns who runs an operator's command, which is not known by name. One run has one request id. */
export const auditOfCommand = (
  action: CommandAction,
  requestId: string,
  projectId: AuditContext['projectId'] = null,
): AuditContext => ({
  id: AuditEntryId.create(),
  actor: { type: 'operator', id: null },
  action,
  projectId,
  requestId,
  address: null,
});

function actorOf(principal: Principal): AuditContext['actor'] {
  switch (principal.kind) {
    case 'user':
      return { type: 'user', id: principal.userId };
    case 'api-key':
      return { type: 'key', id: principal.keyId };
    case 'anonymous':
      return { type: 'system', id: null };
    default:
      return principal satisfies never;
  }
}

/**
 * Returns the fields that differ, in the order of `after`; undefined is not a change. `before` is null for what was created.
 * Fields in `hidden` are secrets or personal data: both values are null.
 */
export function changesOf(before: object | null, after: object, hidden: readonly string[] = []): AuditChange[] {
  const old = new Map<string, unknown>(Object.entries(before ?? {}));
  return Object.entries(after).flatMap(([field, value]: [string, unknown]) => {
    if (value === undefined || isDeepStrictEqual(old.get(field) ?? null, value)) return [];
    if (hidden.includes(field)) return [{ field, from: null, to: null }];
    return [{ field, from: toValue(old.get(field)), to: toValue(value) }];
  });
}

/** Returns changes as those of a part of a record: `value` of the feature `seats` as `seats.value`. */
export const changesWithin = (part: string, changes: readonly AuditChange[]): AuditChange[] =>
  changes.map(({ field, ...values }) => ({ field: `${part}.${field}`, ...values }));

function toValue(value: unknown): AuditValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return cut(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.map(cut);
  return cut(JSON.stringify(value));
}

const cut = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…` : text;
