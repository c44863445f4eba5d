import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { ErrorState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';

/** The invitations that nobody has accepted yet. */
export function InvitationsCard() {
  const { team, teamKey } = useProject();
  const {
    data: invitations,
    error,
    refetch,
  } = useQuery({
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
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {invitations?.length === 0 && <p className="card-body muted">None.</p>}
      <ul className="people">
        {invitations?.map(({ id, email, role, expiresAt }) => (
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
