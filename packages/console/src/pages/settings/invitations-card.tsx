import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { ErrorState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { useToasts } from '#ui/toasts.tsx';

/** The invitations that nobody has accepted yet. */
export function InvitationsCard() {
  const { team, teamKey } = useProject();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const query = { queryKey: teamKey('invitations') };
  const {
    data: invitations,
    error,
    refetch,
  } = useQuery({
    ...query,
    queryFn: async ({ signal }) => (await team.invitations.list({}, { signal }).page()).items,
  });
  const withdraw = useMutation({
    mutationFn: (id: string) => team.invitations.withdraw(id),
    onSuccess: () => toasts.done('The invitation is withdrawn.'),
    onError: failure => toasts.failed('The invitation stays.', failure),
    onSettled: () => queryClient.invalidateQueries(query),
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
