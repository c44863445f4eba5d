import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auth } from '#api/auth.ts';
import { problemsOf } from '#api/failure.ts';
import { EmailField, TextField } from '#ui/field.tsx';
import { Form, passwordOf, textOf } from '#ui/form.tsx';
import { EntryCard } from './entry-card.tsx';
import { useEnter } from './use-enter.ts';

export function SignUpPage() {
  const enter = useEnter();
  const signUp = useMutation({
    mutationFn: (fields: FormData) =>
      auth.signUp({
        name: textOf(fields, 'name'),
        email: textOf(fields, 'email'),
        password: passwordOf(fields, 'password'),
      }),
    onSuccess: ({ token }) => (token === null ? undefined : enter()),
  });
  const problems = problemsOf(signUp.error, ['email', 'password']);
  if (signUp.data?.token === null)
    return (
      <EntryCard title="Look into your mail">
        <p role="status">A link is on its way to you. It confirms your address and signs you in, within an hour.</p>
      </EntryCard>
    );
  return (
    <EntryCard
      title="Create your account"
      lead="Then create a team, connect Stripe, and take a test payment: about two minutes."
    >
      <Form action="Create the account" write={signUp} problems={problems}>
        <TextField label="Your name" name="name" autoComplete="name" maxLength={120} required />
        <EmailField autoComplete="username" required problem={problems.of.email} />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          required
          hint="At least 10 characters; common passwords are refused."
          problem={problems.of.password}
        />
      </Form>
      <p className="small">
        You have an account?{' '}
        <Link to="/sign-in" search={true}>
          Sign in
        </Link>
      </p>
    </EntryCard>
  );
}
