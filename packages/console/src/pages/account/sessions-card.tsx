import { useQuery } from '@tanstack/react-query';
import { auth, type Session } from '#api/auth.ts';
import { sessionQuery } from '#api/client.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Time } from '#ui/time.tsx';
import { deviceName } from './device-name.ts';

export const SESSIONS = ['sessions'];

/** Where the reader is signed in. */
export function SessionsCard() {
  const { data: current } = useQuery(sessionQuery);
  const sessions = useQuery({ queryKey: SESSIONS, queryFn: auth.sessions });
  const end = useWrite({
    write: (session: Session) => auth.endSession(session.token),
    stale: [SESSIONS],
    done: 'The session has ended.',
    failed: 'The session goes on.',
  });
  const endOthers = useWrite({
    write: auth.endOtherSessions,
    stale: [SESSIONS],
    done: 'All other sessions have ended.',
    failed: 'The sessions go on.',
  });
  return (
    <Card
      title="Sessions"
      lead="Where you are signed in."
      actions={
        <Button small busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
          End all others
        </Button>
      }
    >
      <Loading query={sessions} lines={2} />
      <ul className="stack">
        {sessions.data?.map(session => (
          <li key={session.id} className="spread">
            <div>
              <div className="row">
                <bdi>{deviceName(session.userAgent ?? '')}</bdi>
                {session.id === current?.session.id && <Badge tone="good">This one</Badge>}
              </div>
              <div className="muted small">
                Signed in <Time at={session.createdAt} show="time" />, used{' '}
                <Time at={session.updatedAt} show="relative" />
              </div>
            </div>
            {session.id !== current?.session.id && (
              <Button small busy={end.isPending} onClick={() => end.mutate(session)}>
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
