import type { EntityManager } from '@mikro-orm/postgresql';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { MailInvitation } from '#auth/account-mails.ts';
import type { Users } from '#auth/sign-in.ts';
import type { KeyMode, KeySecrets } from '#domain/api-key-secret.ts';
import type { InvitationLinks } from '#domain/invitation-link.ts';
import type { Quotas } from '#domain/quotas.ts';

/** What the gateway's operations work with. */
export interface OperationDependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly users: Users;
  readonly secrets: KeySecrets;
  /** Of new API keys in teams without a processor account. */
  readonly keyMode: KeyMode;
  readonly invitationLinks: InvitationLinks;
  /** Undefined where this installation sends no mail. */
  readonly mailInvitation: MailInvitation | undefined;
  readonly quotas: Quotas;
  readonly now: () => Date;
}
