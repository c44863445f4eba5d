import { useMutation } from '@tanstack/react-query';
import { auth } from '#api/auth.ts';
import { problemsOf } from '#api/failure.ts';
import { EmailField, NewPasswordField, TextField } from '#ui/field.tsx';
import { Form, passwordOf, textOf } from '#ui/form.tsx';

interface EntryProps {
  /** Goes on as the one who is signed in now; the form waits for it. */
  readonly onEntered: () => Promise<void>;
}

interface SignInFormProps extends EntryProps {
  readonly email?: string;
  /** The password is right, and a second factor is asked for. */
  readonly onCode: () => void;
}

/** Signs in with a password. */
export function SignInForm({ email, onCode, onEntered }: SignInFormProps) {
  const signIn = useMutation({
    mutationFn: (fields: FormData) =>
      auth.signIn({ email: textOf(fields, 'email'), password: passwordOf(fields, 'password') }),
    onSuccess: ({ twoFactorRedirect }) => (twoFactorRedirect ? onCode() : onEntered()),
  });
  return (
    <Form action="Sign in" write={signIn}>
      <EmailField autoComplete="username" defaultValue={email} required />
      <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
    </Form>
  );
}

interface CodeFormProps extends EntryProps {
  readonly label: string;
  readonly hint?: string;
}

/** Takes the code of a second factor, or a backup code. */
export function CodeForm({ onEntered, ...field }: CodeFormProps) {
  const verify = useMutation({
    mutationFn: (fields: FormData) => auth.verifyCode(textOf(fields, 'code')),
    onSuccess: onEntered,
  });
  return (
    <Form action="Continue" write={verify}>
      <TextField name="code" autoComplete="one-time-code" required {...field} />
    </Form>
  );
}

interface SignUpFormProps extends EntryProps {
  /** What the button says. */
  readonly action: string;
  readonly nameLabel: string;
  readonly emailLabel?: string;
  readonly email?: string;
  /** Of the invitation by which the account is made. */
  readonly invitationToken?: string;
  /** The account is made, and its address is to be confirmed by a mail first. */
  readonly onConfirm: () => void;
}

/** Creates an account. */
export function SignUpForm({
  action,
  nameLabel,
  emailLabel = 'E-mail address',
  email,
  invitationToken,
  onConfirm,
  onEntered,
}: SignUpFormProps) {
  const signUp = useMutation({
    mutationFn: (fields: FormData) =>
      auth.signUp({
        name: textOf(fields, 'name'),
        email: textOf(fields, 'email'),
        password: passwordOf(fields, 'password'),
        invitationToken,
      }),
    onSuccess: ({ token }) => (token === null ? onConfirm() : onEntered()),
  });
  const problems = problemsOf(signUp.error, ['email', 'password']);
  return (
    <Form action={action} write={signUp} problems={problems}>
      <TextField label={nameLabel} name="name" autoComplete="name" maxLength={120} required />
      <EmailField
        label={emailLabel}
        autoComplete="username"
        defaultValue={email}
        required
        problem={problems.of.email}
      />
      <NewPasswordField problem={problems.of.password} />
    </Form>
  );
}
