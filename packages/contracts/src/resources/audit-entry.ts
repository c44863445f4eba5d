import { z } from 'zod';
import { AuditEntryId, ProjectId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

export const AUDIT_ACTOR_TYPES = ['user', 'key', 'customer', 'operator', 'system'] as const;
export const AUDIT_TARGET_TYPES = [
  'team',
  'member',
  'invitation',
  'project',
  'api_key',
  'processor_account',
  'webhook_event',
  'sync',
  'dead_letter',
  'product',
  'price',
  'customer',
  'subscription',
  'checkout_session',
  'referral_config',
  'referral_code',
  'referral',
  'referral_credit',
  'portal_session',
  'user',
] as const;
export type AuditTargetType = (typeof AUDIT_TARGET_TYPES)[number];

const target = z.object({ type: z.enum(AUDIT_TARGET_TYPES), id: z.string() });
export type AuditTarget = z.output<typeof target>;

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);
export type AuditValue = z.output<typeof value>;

/** A field that a write has changed. Of secrets and personal data both values are null. */
export const auditChange = z.object({ field: z.string(), from: value, to: value });
export type AuditChange = z.output<typeof auditChange>;

/**
 * Who makes a write, by which operation, and where the request came from. The id is that of the entry: a request that runs
 * again, for example after a crash, leaves no second one.
 */
export const auditContext = z.object({
  id: AuditEntryId.schema,
  actor: z.object({ type: z.enum(AUDIT_ACTOR_TYPES), id: z.string().nullable() }),
  /** The id of the operation, or the name of an operator's command. */
  action: z.string(),
  projectId: ProjectId.schema.nullable(),
  requestId: z.string(),
  address: z.string().nullable(),
});
export type AuditContext = z.output<typeof auditContext>;

/** One write, or one that was refused. */
export const auditEntry = auditContext.extend({
  at: timestamp,
  target: target.nullable(),
  outcome: z.enum(['succeeded', 'refused']),
  changes: z.array(auditChange),
});
export type AuditEntry = z.output<typeof auditEntry>;
