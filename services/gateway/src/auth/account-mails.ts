import type { WebhookEndpointFailed } from '@billing/contracts/events/webhooks';
import type { TeamId } from '@billing/contracts/ids';
import type { z } from 'zod';
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
      subject: 'Choose a new password',
      text: `Choose a new password within an hour:\n\n${link}\n\nIf you did not ask for this, ignore it.\n`,
    }),
  confirmAddress: (to, link) =>
    mailer.send({
      to,
      subject: 'Confirm your e-mail address',
      text: `Confirm your address within an hour, with the password that you chose:\n\n${link}\n\nIf you did not sign up, ignore it.\n`,
    }),
  accountExists: (to, link) =>
    mailer.send({
      to,
      subject: 'You have an account already',
      text: `Someone has signed up with your address, which has an account already. If that was you, sign in, or choose a new password within an hour:\n\n${link}\n\nOtherwise ignore it.\n`,
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
    const [team, name] = [onOneLine(teamName), onOneLine(inviter.name)];
    mailer.send({
      to,
      subject: `${name} invites you to ${team}`,
      text: `${name} (${inviter.email}) invites you to the team ${team}.\n\nAccept within seven days:\n\n${link}\n\nIf you do not know them, ignore it.\n`,
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
      subject: status === 'disabled' ? `Webhooks to ${host} are disabled` : `Webhooks to ${host} fail`,
      text: `No webhook to ${host} has succeeded since ${failingSince.toISOString()}. ${
        status === 'disabled'
          ? 'Nothing is sent there any more. What it misses waits as long as events are kept: enable the endpoint once it works'
          : 'What fails is tried again; after five days the endpoint is disabled. See why in the console'
      }:\n\n${publicUrl}\n\nProject: ${projectId}\n`,
    });

/** People choose their names and those of teams. */
const onOneLine = (name: string): string => name.replaceAll(/\s+/g, ' ');
