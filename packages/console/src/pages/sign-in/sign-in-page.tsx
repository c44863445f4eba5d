import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { auth } from '#api/auth.ts';
import { Button } from '#ui/button.tsx';
import { EmailField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';
import { EntryCard } from './entry-card.tsx';
import { CodeForm, SignInForm } from './entry-forms.tsx';
import { useEnter } from './use-enter.ts';

export function SignInPage() {
  const [token] = useState(takeLinkToken);
  const [step, setStep] = useState<'link' | 'password' | 'code' | 'reset'>(token === '' ? 'password' : 'link');
  if (step === 'link') return <LinkForm token={token} onBack={() => setStep('password')} />;
  if (step === 'code') return <CodePage onBack={() => setStep('password')} />;
  if (step === 'reset') return <ResetForm onBack={() => setStep('password')} />;
  return <PasswordPage onCode={() => setStep('code')} onReset={() => setStep('reset')} />;
}

/** Returns what stands behind the # of a sign-in link, and takes it out of the address and the history. */
function takeLinkToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

function LinkForm({ token, onBack }: { readonly token: string; readonly onBack: () => void }) {
  const enter = useEnter();
  const signIn = useMutation({ mutationFn: auth.signInByLink, onSuccess: enter });
  const { mutate } = signIn;
  useEffect(() => mutate(token), [mutate, token]);
  return (
    <EntryCard title={signIn.error ? 'This link does not sign you in' : 'Signing you in'}>
      {signIn.error ? (
        <>
          <p>
            This link was used already, or is too old. Links work once; <code>npm start</code> prints a new one.
          </p>
          <Button kind="primary" onClick={onBack}>
            Sign in with a password
          </Button>
        </>
      ) : (
        <p role="status">One moment…</p>
      )}
    </EntryCard>
  );
}

function PasswordPage({ onCode, onReset }: { readonly onCode: () => void; readonly onReset: () => void }) {
  const enter = useEnter();
  const { ended } = useSearch({ strict: false });
  return (
    <EntryCard
      title="Sign in"
      lead={
        ended &&
        'Your session has ended. Sign in, and you go on where you were; what you were about to do was not done.'
      }
    >
      <SignInForm onCode={onCode} onEntered={enter} />
      <div className="spread small">
        <span>
          New here?{' '}
          <Link to="/sign-up" search={true}>
            Create an account
          </Link>
        </span>
        <Button kind="quiet" small onClick={onReset}>
          Forgot the password?
        </Button>
      </div>
    </EntryCard>
  );
}

function CodePage({ onBack }: { readonly onBack: () => void }) {
  const enter = useEnter();
  return (
    <EntryCard title="Enter your code" lead="Your authenticator app shows six digits for this account.">
      <CodeForm label="Code" hint="Or one of your backup codes, each of which works once." onEntered={enter} />
      <Button kind="quiet" small onClick={onBack}>
        Back to sign-in
      </Button>
    </EntryCard>
  );
}

function ResetForm({ onBack }: { readonly onBack: () => void }) {
  const request = useMutation({ mutationFn: (fields: FormData) => auth.requestReset(textOf(fields, 'email')) });
  return (
    <EntryCard
      title="Reset your password"
      lead="You get a mail with a link, if this installation sends mail. Otherwise its operator makes the link: npm run reset-link."
    >
      {request.isSuccess ? (
        <p role="status">If an account has this address, a link is on its way to it.</p>
      ) : (
        <Form action="Send the link" write={request}>
          <EmailField autoComplete="username" required />
        </Form>
      )}
      <Button kind="quiet" small onClick={onBack}>
        Back to sign-in
      </Button>
    </EntryCard>
  );
}
