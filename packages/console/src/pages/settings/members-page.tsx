import type { IssuedInvitation, Member } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client, sessionQuery, teamsQuery } from '#api/client.ts';
import { useProject } from '#api/project.ts';
import { membersQuery } from '#api/queries.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import { forgetLastProject } from '#layout/last-project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { RenameForm } from '#layout/rename-form.tsx';
import { useWrite } from '#layout/use-write.ts';
import { DialogButton, useClose } from '#resource/dialog-button.tsx';
import { choice, control } from '#resource/fields.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { EmailField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { Time } from '#ui/time.tsx';

/** Who belongs to the team, and who is invited. */
export function MembersPage() {
  const { data: current } = useQuery(sessionQuery);
  const isOwner = useIsOwner();
  const members = useQuery({ ...membersQuery(useProject()), staleTime: 0 });
  const hasOneOwner = members.data?.filter(({ role }) => role === 'owner').length === 1;
  return (
    <Page
      title="Members"
      lead="Owners connect Stripe and manage members; members do everything else."
      actions={
        isOwner && (
          <DialogButton kind="primary" icon="plus" dialog={<InviteDialog />}>
            Invite someone
          </DialogButton>
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
                <DialogButton
                  small
                  dialog={<RemoveDialog member={member} />}
                  aria-label={member.userId === current?.user.id ? 'Leave the team' : `Remove ${member.email}`}
                >
                  {member.userId === current?.user.id ? 'Leave' : 'Remove'}
                </DialogButton>
              )}
            </li>
          ))}
        </ul>
      </Card>
      {isOwner && <InvitationsCard />}
      {isOwner && <TeamCard />}
    </Page>
  );
}

const ROLES = { member: 'Member', owner: 'Owner' };

export function InviteDialog() {
  const { team, teamKey } = useProject();
  const invite = async (fields: FormData) => {
    const role: Member['role'] = textOf(fields, 'role') === 'owner' ? 'owner' : 'member';
    return team.members.invite({ email: textOf(fields, 'email'), role });
  };
  return (
    <WriteDialog
      title="Invite someone"
      action="Make the invitation"
      write={invite}
      isSensitive
      stale={[teamKey('invitations')]}
      result={invitation => <InvitationLink invitation={invitation} />}
      fields={[
        control(EmailField, { name: 'email', required: true }),
        choice({ name: 'role', label: 'Role', options: ROLES, defaultValue: 'member' }),
      ]}
    />
  );
}

function InvitationLink({ invitation }: { readonly invitation: IssuedInvitation }) {
  return (
    <Dialog title="Send this link" onClose={useClose()}>
      <p>
        It lets <strong>{invitation.email}</strong> join, until <Time at={invitation.expiresAt} show="time" />. It is
        shown only now.
      </p>
      <Snippet label="Invitation link" text={invitation.url} />
    </Dialog>
  );
}

function RemoveDialog({ member }: { readonly member: Member }) {
  const { team, teamKey } = useProject();
  const navigate = useNavigate();
  const { data: current } = useQuery(sessionQuery);
  const isReader = member.userId === current?.user.id;
  return (
    <ConfirmWrite
      title={isReader ? 'Leave the team' : 'Remove a member'}
      action={isReader ? 'Leave' : 'Remove'}
      write={() => team.members.remove(member.userId)}
      isSensitive
      // Whoever has left the team may load nothing of it.
      stale={[isReader ? teamsQuery.queryKey : teamKey()]}
      done={({ revokedKeys }) =>
        (isReader ? 'You have left the team' : 'The member is removed') +
        (revokedKeys.length === 0 ? '.' : `, and ${revokedKeys.length} API keys are revoked.`)
      }
      onDone={() => {
        if (!isReader) return;
        forgetLastProject();
        void navigate({ to: '/' });
      }}
    >
      {isReader ? (
        'You lose access at once. The API keys that you made are revoked, and so are your invitations.'
      ) : (
        <>
          <bdi>{member.name}</bdi> ({member.email}) loses access at once. The API keys that they made are revoked, and
          so are their invitations.
        </>
      )}
    </ConfirmWrite>
  );
}

/** The invitations that nobody has accepted yet. */
function InvitationsCard() {
  const { team, teamKey } = useProject();
  const invitations = useQuery({
    queryKey: teamKey('invitations'),
    queryFn: async ({ signal }) => (await team.invitations.list({}, { signal }).page()).items,
  });
  const withdraw = useWrite({
    write: (id: string) => team.invitations.withdraw(id),
    stale: [teamKey('invitations')],
    done: 'The invitation is withdrawn.',
    failed: 'The invitation stays.',
  });
  return (
    <Card title="Open invitations" flush>
      <Loading query={invitations} lines={1} flush />
      {invitations.data?.length === 0 && <p className="card-body muted">None.</p>}
      <ul className="people">
        {invitations.data?.map(({ id, email, role, expiresAt }) => (
          <li key={id}>
            <div className="grow">
              <div className="row">
                <span className="truncate">{email}</span>
                <Badge>{role}</Badge>
              </div>
              <div className="muted small">
                valid until <Time at={expiresAt} show="time" />
              </div>
            </div>
            <Button
              small
              busy={withdraw.isPending}
              onClick={() => withdraw.mutate(id)}
              aria-label={`Withdraw the invitation of ${email}`}
            >
              Withdraw
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The team's name, which owners may change. */
function TeamCard() {
  const { teamId } = useProject();
  const { data: teams } = useQuery(teamsQuery);
  const rename = useWrite({
    write: (name: string) => client.teams.update(teamId, { name }),
    stale: [teamsQuery.queryKey],
    done: 'The team is renamed.',
  });
  const name = teams?.find(({ id }) => id === teamId)?.name;
  return (
    <Card title="Team">
      <RenameForm label="Team name" name={name} action="Rename the team" write={rename} />
    </Card>
  );
}
