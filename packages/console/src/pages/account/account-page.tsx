import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auth } from '#api/auth.ts';
import { sessionQuery } from '#api/client.ts';
import { problemsOf } from '#api/failure.ts';
import { Card } from '#layout/page.tsx';
import { RenameForm } from '#layout/rename-form.tsx';
import { useWrite } from '#layout/use-write.ts';
import { NewPasswordField, TextField } from '#ui/field.tsx';
import { Form, passwordOf } from '#ui/form.tsx';
import { Icon } from '#ui/icon.tsx';
import { useTitle } from '#ui/use-title.ts';
import { SecondFactorCard } from './second-factor-card.tsx';
import { SESSIONS, SessionsCard } from './sessions-card.tsx';

/** The reader's name, password, second factor and sessions. */
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
      <NameCard />
      <PasswordCard />
      <SecondFactorCard />
      <SessionsCard />
    </main>
  );
}

function NameCard() {
  const { data: current } = useQuery(sessionQuery);
  const rename = useWrite({
    write: auth.rename,
    stale: [sessionQuery.queryKey],
    done: 'Your name is changed.',
  });
  return (
    <Card title="Name" lead="The members of your teams see it.">
      <RenameForm
        label="Your name"
        name={current?.user.name}
        action="Change the name"
        write={rename}
        autoComplete="name"
      />
    </Card>
  );
}

function PasswordCard() {
  const change = useWrite({
    write: (fields: FormData) =>
      auth.changePassword({ currentPassword: passwordOf(fields, 'current'), newPassword: passwordOf(fields, 'new') }),
    stale: [SESSIONS],
    done: 'The password is changed, and all other sessions have ended.',
  });
  const problems = problemsOf(change.error, ['newPassword']);
  return (
    <Card title="Password" lead="A new password ends all other sessions.">
      <Form key={change.submittedAt} action="Change the password" kind="plain" write={change} problems={problems}>
        <TextField label="Current password" name="current" type="password" autoComplete="current-password" required />
        <NewPasswordField
          label="New password"
          name="new"
          hint="At least 10 characters."
          problem={problems.of.newPassword}
        />
      </Form>
    </Card>
  );
}
