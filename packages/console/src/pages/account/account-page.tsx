import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auth, type Session } from '#api/auth.ts';
import { sessionQuery } from '#api/client.ts';
import { problemsOf } from '#api/failure.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormProblem, passwordOf } from '#ui/form.tsx';
import { Icon } from '#ui/icon.tsx';
import { Time } from '#ui/time.tsx';
import { useTitle } from '#ui/use-title.ts';
import { deviceName } from './device-name.ts';

const SESSIONS = ['sessions'];

/** The reader's password and sessions. */
export function AccountPage() {
  const { data } = useQuery(sessionQuery);
  useTitle('Your account');
  return (
    <main className="page narrow">
      <header>
        <Link to="/" className="crumb">
          <Icon name="left" size={14} />
          Back to the console
        </Link>
        <h1>Your account</h1>
        <p className="muted">
          <bdi>{data?.user.name}</bdi>, {data?.user.email}
        </p>
      </header>
      <PasswordCard />
      <SessionsCard />
    </main>
  );
}

function PasswordCard() {
  const change = useWrite({
    write: auth.changePassword,
    stale: [SESSIONS],
    done: 'The password is changed, and all other sessions have ended.',
  });
  const problems = problemsOf(change.error, ['newPassword']);
  return (
    <Card title="Password" lead="A new password ends all other sessions.">
      <Form
        key={change.submittedAt}
        onSubmit={fields =>
          change.mutate({ currentPassword: passwordOf(fields, 'current'), newPassword: passwordOf(fields, 'new') })
        }
      >
        <TextField label="Current password" name="current" type="password" autoComplete="current-password" required />
        <TextField
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          required
          hint="At least 10 characters."
          problem={problems.of.newPassword}
        />
        <FormProblem error={problems.rest} />
        <div>
          <Button type="submit" busy={change.isPending}>
            Change the password
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function SessionsCard() {
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
