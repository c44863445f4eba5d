import { z } from 'zod';
import { AuditEntryId, EXAMPLE_USER_ID, ProjectId } from '../ids.ts';
import { updatedAt } from '../timestamp.ts';

export const AUDIT_ACTOR_TYPES = ['user', 'key', 'customer', 'operator', 'system'] as const;
const AUDIT_TARGET_TYPES = [
  'team',
  'member',
  'invitation',
  'project',
  'api_key',
  'processor_account',
  'webhook_event',
  'feature',
  'webhook_endpoint',
  'webhook_delivery',
  'sync',
  'test_clock',
  'price_migration',
  'portal_config',
  'dead_letter',
  'product',
  'price',
  'coupon',
  'promotion_code',
  'customer',
  'subscription',
  'checkout_session',
  'invoice',
  'payment',
  'referral_config',
  'referral_code',
  'referral',
  'referral_credit',
  'portal_session',
  'user',
] as const;
export type AuditTargetType = (typeof AUDIT_TARGET_TYPES)[number];

/** What people do with their accounts; `auth.` stands before these actions. */
export const SIGN_IN_ACTIONS = [
  'signIn',
  'signOut',
  'updateUser',
  'verifyEmail',
  'verifyPassword',
  'changePassword',
  'resetPassword',
  'enableSecondFactor',
  'disableSecondFactor',
  'generateBackupCodes',
  'verifySecondFactor',
  'verifyBackupCode',
  'revokeSession',
  'revokeSessions',
  'revokeOtherSessions',
  'endSession',
] as const;
export type SignInAction = (typeof SIGN_IN_ACTIONS)[number];

/** What operators' commands and the system do, besides what operations do too. */
export const COMMAND_ACTIONS = [
  'invite',
  'resetLink',
  'rotateKeys',
  'rebuildAnalytics',
  'disableWebhookEndpoint',
] as const;
export type CommandAction = (typeof COMMAND_ACTIONS)[number] | 'retryDeadLetters' | 'dropDeadLetters';

const target = z.object({ type: z.enum(AUDIT_TARGET_TYPES), id: z.string() });
export type AuditTarget = z.output<typeof target>;

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);
export type AuditValue = z.output<typeof value>;

export const auditChange = z
  .object({
    field: z.string().describe('The name of the field.'),
    from: value.describe('Null when there was none. Of secrets and personal data both values are null.'),
    to: value.describe('Long texts are cut off after 200 characters.'),
  })
  .meta({
    id: 'AuditChange',
    description: 'A field that a write changed.',
    example: { field: 'name', from: 'Store', to: 'Shop' },
  });
export type AuditChange = z.output<typeof auditChange>;

/**
 * Who makes a write, by which operation, and where the request came from. The id is that of the entry: a request that runs
 * again, for example after a crash, leaves no second one.
 */
export const auditContext = z.object({
  id: AuditEntryId.schema,
  actor: z
    .object({ type: z.enum(AUDIT_ACTOR_TYPES), id: z.string().nullable() })
    .meta({ description: 'Who made the request.', example: { type: 'user', id: EXAMPLE_USER_ID } }),
  action: z.string().meta({
    description:
      'The id of the operation in this document, with `auth.` before those of sign-in, or the name of an operator’s command.',
    example: 'updateProject',
  }),
  projectId: ProjectId.schema
    .nullable()
    .meta({ description: 'Null when it is about the whole team.', example: ProjectId.example }),
  requestId: z.string().meta({
    description: 'The `X-Request-Id` of the response.',
    example: '3f6c1f0e-6f0b-4a7e-9d53-2b8f1c7a9e10',
  }),
  address: z
    .string()
    .nullable()
    .meta({ description: 'The address that the request came from; null for commands.', example: '203.0.113.7' }),
});
export type AuditContext = z.output<typeof auditContext>;

export const auditEntry = auditContext.extend({
  at: updatedAt.describe('When it happened.'),
  target: target.nullable().meta({
    description: 'What it was about; null when a refused request would have created it.',
    example: { type: 'project', id: ProjectId.example },
  }),
  outcome: z
    .enum(['succeeded', 'refused'])
    .describe(
      'Refused requests are listed for members, invitations, API keys, the connection to the payment processor and sign-in, and whatever the payment processor refused: a declined payment, for example.',
    ),
  changes: z.array(auditChange).describe('Empty when nothing changed.'),
});
export type AuditEntry = z.output<typeof auditEntry>;

/** An entry as it is listed. */
export const listedAuditEntry = auditEntry
  .extend({
    actor: auditEntry.shape.actor
      .extend({
        name: z
          .string()
          .nullable()
          .describe('Of a user or an API key, also of one that is gone; null for other actors.'),
      })
      .meta({
        description: 'Who made the request.',
        example: { type: 'user', id: EXAMPLE_USER_ID, name: 'Grace Hopper' },
      }),
    target: target
      .extend({
        name: z
          .string()
          .nullable()
          .describe('Of a team, a project, a member or an API key, also of one that is gone; null of others.'),
      })
      .nullable()
      .meta({
        description: 'What it was about; null when a refused request would have created it.',
        example: { type: 'project', id: ProjectId.example, name: 'Shop' },
      }),
    count: z
      .int()
      .min(1)
      .meta({ description: 'How often the same actor had this refused within a minute; else 1.', example: 1 }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'A write by API, portal or operator’s command, or a refused attempt.',
  });
export type ListedAuditEntry = z.output<typeof listedAuditEntry>;
