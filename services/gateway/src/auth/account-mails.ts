import type { Mailer } from './mailer.ts';

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
