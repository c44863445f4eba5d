import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { EntryCard } from './entry-card.tsx';
import { SignUpForm } from './entry-forms.tsx';
import { useEnter } from './use-enter.ts';

export function SignUpPage() {
  const enter = useEnter();
  const [isMailed, setMailed] = useState(false);
  if (isMailed)
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
      <SignUpForm
        action="Create the account"
        nameLabel="Your name"
        onConfirm={() => setMailed(true)}
        onEntered={enter}
      />
      <p className="small">
        You have an account?{' '}
        <Link to="/sign-in" search={true}>
          Sign in
        </Link>
      </p>
    </EntryCard>
  );
}
