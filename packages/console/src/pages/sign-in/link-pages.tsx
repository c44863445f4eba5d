import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { auth } from '#api/auth.ts';
import { tellOtherTabs } from '#api/session-news.ts';
import { NewPasswordField, TextField } from '#ui/field.tsx';
import { Form, passwordOf } from '#ui/form.tsx';
import { EntryCard } from './entry-card.tsx';
import { linkToken } from './link-token.ts';

/** Lets who has the link of a mail choose a new password. */
export function ResetPasswordPage() {
  const [token] = useState(linkToken);
  const reset = useMutation({
    mutationFn: (fields: FormData) => auth.resetPassword({ newPassword: passwordOf(fields, 'newPassword'), token }),
    onSuccess: tellOtherTabs,
  });
  return (
    <EntryCard title="Choose a new password">
      {reset.isSuccess ? (
        <Done>Your password is changed, and all your sessions have ended. Sign in with the new one.</Done>
      ) : (
        <Form action="Change the password" write={reset}>
          <NewPasswordField label="New password" name="newPassword" />
        </Form>
      )}
    </EntryCard>
  );
}

/** Confirms the address of a new account by the link of its mail, and signs in. */
export function VerifyEmailPage() {
  const [token] = useState(linkToken);
  const verify = useMutation({
    mutationFn: (fields: FormData) => auth.verifyEmail({ password: passwordOf(fields, 'password'), token }),
    onSuccess: tellOtherTabs,
  });
  return (
    <EntryCard title="Confirm your e-mail address">
      {verify.isSuccess ? (
        <>
          <Done>Your address is confirmed, and you are signed in.</Done>
          <p>If you came by an invitation, open its link again.</p>
        </>
      ) : (
        <>
          <p>Enter the password that you chose when you signed up.</p>
          <Form action="Confirm and sign in" write={verify}>
            <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
          </Form>
        </>
      )}
    </EntryCard>
  );
}

/** Says what was done, and leads to the console, which is loaded anew: the session is another one. */
const Done = ({ children }: { readonly children: ReactNode }) => (
  <>
    <p role="status">{children}</p>
    <a href="/">Open the console</a>
  </>
);
