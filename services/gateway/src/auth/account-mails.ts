import type { WebhookEndpointFailed } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import type { z } from 'zod';
import { mailText, verbatim } from '#domain/mail-text.ts';
import type { SharedLimit } from '#limits/shared-limit.ts';
import type { Mailer } from './mailer.ts';
import { hashedKey } from './rate-limits.ts';

/** The mails to a user, each with a secret link. */
export interface AccountMails {
  resetPassword(to: string, link: string): void;
  confirmAddress(to: string, link: string): void;
  /** To who has signed up with an address that has an account already. */
  accountExists(to: string, link: string): void;
}

export const accountMails = (mailer: Mailer): AccountMails => ({
  resetPassword: (to, link) =>
    mailer.send({
      to,
      subject: mailText`Choose a new password`,
      text: mailText`Choose a new password within an hour:\n\n${verbatim(link)}\n\nIf you did not ask for this, ignore it.\n`,
    }),
  confirmAddress: (to, link) =>
    mailer.send({
      to,
      subject: mailText`Confirm your e-mail address`,
      text: mailText`Confirm your address within an hour, with the password that you chose:\n\n${verbatim(link)}\n\nIf you did not sign up, ignore it.\n`,
    }),
  accountExists: (to, link) =>
    mailer.send({
      to,
      subject: mailText`You have an account already`,
      text: mailText`Someone has signed up with your address, which has an account already. If that was you, sign in, or choose a new password within an hour:\n\n${verbatim(link)}\n\nOtherwise ignore it.\n`,
    }),
});

/** An invitation as its mail names it. */
interface MailedInvitation {
  readonly teamId: TeamId;
  readonly teamName: string;
  readonly inviter: { readonly name: string; readonly email: string };
  readonly link: string;
}

/** Sends an invitation to an address. */
export type MailInvitation = (to: string, invitation: MailedInvitation) => Promise<void>;

/** Sends invitations, of each team only so many: whoever has a team must not mail the world. */
export const mailInvitations =
  (mailer: Mailer, limit: SharedLimit): MailInvitation =>
  async (to, { teamId, teamName, inviter, link }) => {
    if (!(await limit.take(hashedKey(teamId))).isAllowed) return;
    const { name, email } = inviter;
    mailer.send({
      to,
      subject: mailText`${name} invites you to ${teamName}`,
      text: mailText`${name} (${verbatim(email)}) invites you to the team ${teamName}.\n\nAccept within seven days:\n\n${verbatim(link)}\n\nIf you do not know them, ignore it.\n`,
    });
  };

/** An endpoint as the mail to the owners of its team names it. */
type FailingEndpoint = z.output<typeof WebhookEndpointFailed.data>;

/** Tells an owner of a team that an endpoint fails. */
export type MailFailingEndpoint = (to: string, endpoint: FailingEndpoint) => void;

export const mailFailingEndpoints =
  (mailer: Mailer, publicUrl: string): MailFailingEndpoint =>
  (to, { projectId, host, status, failingSince }) =>
    mailer.send({
      to,
      subject: status === 'disabled' ? mailText`Webhooks to ${host} are disabled` : mailText`Webhooks to ${host} fail`,
      text: mailText`No webhook to ${host} has succeeded since ${verbatim(failingSince.toISOString())}. ${verbatim(
        status === 'disabled'
          ? 'Nothing is sent there any more. What it misses waits as long as events are kept: enable the endpoint once it works'
          : 'What fails is tried again; after five days the endpoint is disabled. See why in the console',
      )}:\n\n${verbatim(publicUrl)}\n\nProject: ${projectId}\n`,
    });
