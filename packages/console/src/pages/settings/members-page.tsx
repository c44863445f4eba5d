import type { IssuedInvitation, Member } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery, teamsQuery } from '#api/client.ts';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { membersQuery } from '#api/queries.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { forgetLastProject } from '#layout/last-project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { EmailField, SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { Time } from '#ui/time.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { TeamCard } from './team-card.tsx';

/** Who belongs to the team, and who is invited. */
export function MembersPage() {
  const { data: current } = useQuery(sessionQuery);
  const isOwner = useIsOwner();
  const members = useQuery({ ...membersQuery(useProject()), staleTime: 0 });
  const hasOneOwner = members.data?.filter(({ role }) => role === 'owner').length === 1;
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  return (
    <Page
      title="Members"
      lead="Owners connect Stripe and manage members; members do everything else."
      actions={
        isOwner && (
          <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite someone
          </Button>
        )
      }
    >
      <Card flush>
        <Loading query={members} lines={3} flush />
        <ul className="people">
          {members.data?.map(member => (
            <li key={member.userId}>
              <div className="grow">
                <div className="row">
                  <strong className="truncate">
                    <bdi>{member.name}</bdi>
                  </strong>
                  <Badge tone={member.role === 'owner' ? 'accent' : 'neutral'}>{member.role}</Badge>
                  {member.userId === current?.user.id && <Badge>you</Badge>}
                </div>
                <div className="muted truncate">{member.email}</div>
              </div>
              <span className="muted small">
                since <Time at={member.createdAt} />
              </span>
              {/* A team keeps an owner. */}
              {isOwner && !(hasOneOwner && member.role === 'owner') && (
                <Button
                  small
                  onClick={() => setRemoving(member)}
                  aria-label={member.userId === current?.user.id ? 'Leave the team' : `Remove ${member.email}`}
                >
                  {member.userId === current?.user.id ? 'Leave' : 'Remove'}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </Card>
      {isOwner && <InvitationsCard />}
      {isOwner && <TeamCard />}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      {removing && <RemoveDialog member={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  );
}

function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { team, teamKey } = useProject();
  const withFreshSession = useFreshSession();
  const invite = useWrite({
    write: (fields: FormData) => {
      const role: Member['role'] = textOf(fields, 'role') === 'owner' ? 'owner' : 'member';
      return withFreshSession(() => team.members.invite({ email: textOf(fields, 'email'), role }));
    },
    stale: [teamKey('invitations')],
  });
  if (invite.data) return <InvitationLink invitation={invite.data} onClose={onClose} />;
  const problems = problemsOf(invite.error, ['email']);
  return (
    <FormDialog
      title="Invite someone"
      action="Make the invitation"
      write={invite}
      problems={problems}
      onClose={onClose}
    >
      <EmailField required problem={problems.of.email} />
      <SelectField label="Role" name="role" defaultValue="member">
        <option value="member">Member</option>
        <option value="owner">Owner</option>
      </SelectField>
    </FormDialog>
  );
}

function InvitationLink({
  invitation,
  onClose,
}: {
  readonly invitation: IssuedInvitation;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title="Send this link" onClose={onClose}>
      <p>
        It lets <strong>{invitation.email}</strong> join, until <Time at={invitation.expiresAt} show="time" />. It is
        shown only now.
      </p>
      <Snippet label="Invitation link" text={invitation.url} />
    </Dialog>
  );
}

function RemoveDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { team, teamKey } = useProject();
  const navigate = useNavigate();
  const withFreshSession = useFreshSession();
  const { data: current } = useQuery(sessionQuery);
  const isReader = member.userId === current?.user.id;
  const remove = useWrite({
    write: () => withFreshSession(() => team.members.remove(member.userId)),
    // Whoever has left the team may load nothing of it.
    stale: [isReader ? teamsQuery.queryKey : teamKey()],
    done: ({ revokedKeys }) =>
      (isReader ? 'You have left the team' : 'The member is removed') +
      (revokedKeys.length === 0 ? '.' : `, and ${revokedKeys.length} API keys are revoked.`),
    onDone: () => {
      onClose();
      if (!isReader) return;
      forgetLastProject();
      void navigate({ to: '/' });
    },
  });
  return (
    <ConfirmDialog
      title={isReader ? 'Leave the team' : 'Remove a member'}
      action={isReader ? 'Leave' : 'Remove'}
      write={remove}
      onClose={onClose}
    >
      {isReader ? (
        'You lose access at once. The API keys that you made are revoked, and so are your invitations.'
      ) : (
        <>
          <bdi>{member.name}</bdi> ({member.email}) loses access at once. The API keys that they made are revoked, and
          so are their invitations.
        </>
      )}
    </ConfirmDialog>
  );
}
