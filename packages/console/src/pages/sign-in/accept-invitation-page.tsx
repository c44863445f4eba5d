import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auth } from '#api/auth.ts';
import { client, queryClient, sessionQuery } from '#api/client.ts';
import { describeFailure, hasCode } from '#api/failure.ts';
import { tellOtherTabs } from '#api/session-news.ts';
import { Button } from '#ui/button.tsx';
import { Form, RefusalNotice } from '#ui/form.tsx';
import { EntryCard } from './entry-card.tsx';
import { CodeForm, SignInForm, SignUpForm } from './entry-forms.tsx';
import { linkToken } from './link-token.ts';

/** Whom an invitation is from, to who has its link. */
export function AcceptInvitationPage() {
  const [token] = useState(linkToken);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => auth.describeInvitation(token),
    staleTime: Infinity,
  });
  const session = useQuery(sessionQuery);
  const { error, data: described } = invitation;
  if (hasCode(error, 'invitation_not_found') || hasCode(error, 'validation_error'))
    return (
      <EntryCard title="This invitation is no longer valid">
        <p>
          It was accepted, replaced or withdrawn, or it is older than seven days. Ask whoever invited you for a new one.
        </p>
      </EntryCard>
    );
  const failed = error ?? session.error;
  if (failed || !described || session.data === undefined)
    return (
      <EntryCard title="You are invited to a team">
        {failed ? <Failure error={failed} /> : <p role="status">One moment…</p>}
      </EntryCard>
    );
  const { teamName, inviter, email, role } = described;
  const from = inviter ? `${inviter.name} (${inviter.email}) invites you` : 'You are invited';
  return (
    <EntryCard
      title={`Join ${teamName.replaceAll(/\s+/g, ' ')}`}
      lead={`${from} as ${role === 'owner' ? 'an owner' : 'a member'} of the team.`}
    >
      {session.data ? <Accept token={token} user={session.data.user.email} /> : <Enter token={token} email={email} />}
    </EntryCard>
  );
}

function Failure({ error }: { readonly error: unknown }) {
  const { message, requestId } = describeFailure(error);
  return <RefusalNotice requestId={requestId}>{message}</RefusalNotice>;
}

/** Looks who is signed in now, with nothing left of an earlier session. */
async function lookAgain(): Promise<void> {
  tellOtherTabs();
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
}

function Accept({ token, user }: { readonly token: string; readonly user: string }) {
  const accept = useMutation({ mutationFn: (_fields: FormData) => client.acceptInvitation(token) });
  const leave = useMutation({ mutationFn: auth.signOut, onSuccess: lookAgain });
  if (accept.data) {
    const { id, name } = accept.data.team;
    return (
      <>
        <p role="status">You are a member of {name}.</p>
        {/* Loads the console anew: it may hold lists of teams from before. */}
        <a href={`/teams/${id}`}>Open the console</a>
      </>
    );
  }
  return (
    <>
      <p>
        You are signed in as <strong>{user}</strong>.
      </p>
      <Form action="Accept the invitation" write={accept}>
        {null}
      </Form>
      <Button kind="quiet" small busy={leave.isPending} onClick={() => leave.mutate()}>
        Use another account
      </Button>
    </>
  );
}

/** Signs in the one who was invited, or up. */
function Enter({ token, email }: { readonly token: string; readonly email: string }) {
  const [step, setStep] = useState<'password' | 'code' | 'confirm'>('password');
  if (step === 'confirm')
    return (
      <p role="status">A mail is on its way to you. Confirm your address with it, then open this invitation again.</p>
    );
  if (step === 'code')
    return <CodeForm label="Code of your authenticator app, or a backup code" onEntered={lookAgain} />;
  return (
    <>
      <SignInForm email={email} onCode={() => setStep('code')} onEntered={lookAgain} />
      <details>
        <summary>You have no account yet? Sign up</summary>
        <SignUpForm
          action="Sign up"
          nameLabel="Name"
          emailLabel="E-mail address that was invited"
          email={email}
          invitationToken={token}
          onConfirm={() => setStep('confirm')}
          onEntered={lookAgain}
        />
      </details>
    </>
  );
}
