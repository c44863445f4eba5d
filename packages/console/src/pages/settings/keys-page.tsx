import type { ApiKey, IssuedApiKey } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { apiKeysQuery, membersQuery } from '#api/queries.ts';
import type { Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { DialogButton, useClose, useCreate, useDialog } from '#resource/dialog-button.tsx';
import { choice } from '#resource/fields.tsx';
import { QueryTable } from '#resource/tables.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Choices } from '#ui/choices.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { KeySecret } from './key-secret.tsx';
import { ALL_SCOPES, type Scope, SCOPES } from './scopes.ts';

/** The API keys of the project. */
export function KeysPage() {
  const query = useQuery(apiKeysQuery(useProject()));
  const create = useCreate('New API key', <CreateKeyDialog />);
  // Its row may end before the new secret is copied.
  const rotation = useDialog((apiKey: ApiKey) => <RotateDialog apiKey={apiKey} />);
  return (
    <Page title="API keys" lead="Your backend calls the API with a key of this project." actions={create.button}>
      <Card flush>
        <QueryTable
          queries={[query]}
          lines={3}
          rows={query.data}
          columns={columns(rotation.open)}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="key" title="No API keys yet" action={create.button}>
              A key belongs to this project and has scopes: what it may read and change. You see its secret once.
            </EmptyState>
          }
        />
      </Card>
      {create.dialog}
      {rotation.dialog}
    </Page>
  );
}

const columns = (rotate: (apiKey: ApiKey) => void): readonly Column<ApiKey>[] => [
  {
    title: 'Name',
    cell: ({ name }) => (
      <div className="truncate" dir="auto">
        {name}
      </div>
    ),
  },
  {
    title: 'Key',
    least: 170,
    cell: ({ prefix, last4 }) => (
      <code className="num">
        {prefix}…{last4}
      </code>
    ),
  },
  {
    title: 'Scopes',
    width: 80,
    cell: ({ scopes }) => (
      <span title={scopes.join(', ')}>{scopes.length === ALL_SCOPES.length ? 'All' : scopes.length}</span>
    ),
  },
  {
    title: 'Created',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Time at={createdAt} /> by <MemberName userId={createdBy} />
      </>
    ),
  },
  { title: 'Last used', width: 'ago', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} show="relative" /> },
  {
    title: 'Ends',
    width: 'date',
    cell: ({ expiresAt }) =>
      expiresAt && new Date(expiresAt) <= new Date() ? <Badge tone="bad">Ended</Badge> : <Time at={expiresAt} />,
  },
  {
    title: 'Actions',
    width: 170,
    end: true,
    cell: apiKey => (
      <div className="row">
        <Button small onClick={() => rotate(apiKey)}>
          Rotate
        </Button>
        <DialogButton small dialog={<RevokeDialog apiKey={apiKey} />}>
          Revoke
        </DialogButton>
      </div>
    ),
  },
];

const DAY_MS = 86_400_000;
/** For how many days a key works. */
const PERIODS = { '': 'Until it is revoked', '30': 'For 30 days', '90': 'For 90 days', '365': 'For a year' };

export function CreateKeyDialog() {
  const scope = useProject();
  const { team, projectId } = scope;
  const create = async (fields: FormData) => {
    const scopes: Scope[] = ALL_SCOPES.filter(name => fields.has(name));
    const days = Number(textOf(fields, 'days'));
    const expiresAt = days > 0 ? new Date(Date.now() + days * DAY_MS).toISOString() : null;
    return team.apiKeys.create(projectId, { name: textOf(fields, 'name'), scopes, expiresAt });
  };
  return (
    <WriteDialog
      title="New API key"
      action="Create the key"
      write={create}
      isSensitive
      stale={[apiKeysQuery(scope).queryKey]}
      result={issued => <SecretDialog issued={issued} />}
      fields={[
        { name: 'name', label: 'Name', maxLength: 120, required: true, placeholder: 'backend' },
        choice({ name: 'days', label: 'It works', options: PERIODS, defaultValue: '' }),
      ]}
    >
      <fieldset className="field">
        <legend>It may</legend>
        <div className="checks">
          {ALL_SCOPES.map(name => (
            <label key={name} className="check">
              <input type="checkbox" name={name} defaultChecked />
              <span>{SCOPES[name]}</span>
            </label>
          ))}
        </div>
      </fieldset>
    </WriteDialog>
  );
}

function SecretDialog({ issued }: { readonly issued: IssuedApiKey }) {
  return (
    <Dialog title={`The key “${issued.apiKey.name}”`} done="I have copied it" onClose={useClose()}>
      <KeySecret secret={issued.secret} />
    </Dialog>
  );
}

function RevokeDialog({ apiKey }: { readonly apiKey: ApiKey }) {
  const scope = useProject();
  return (
    <ConfirmWrite
      title="Revoke the key"
      action="Revoke"
      write={() => scope.team.apiKeys.revoke(scope.projectId, apiKey.id)}
      stale={[apiKeysQuery(scope).queryKey]}
      done="The key is revoked."
    >
      Within a second, every request with{' '}
      <code>
        {apiKey.prefix}…{apiKey.last4}
      </code>{' '}
      is refused. This cannot be undone.
    </ConfirmWrite>
  );
}

const OVERLAPS = {
  '0': 'The old one ends now',
  '3600000': 'The old one works for another hour',
  '86400000': 'The old one works for another day',
};

function RotateDialog({ apiKey }: { readonly apiKey: ApiKey }) {
  const scope = useProject();
  const { team, projectId } = scope;
  return (
    <WriteDialog
      title="Rotate the key"
      action="Rotate"
      write={(fields: FormData) =>
        team.apiKeys.rotate(projectId, apiKey.id, { overlapMs: Number(textOf(fields, 'overlap')) })
      }
      isSensitive
      stale={[apiKeysQuery(scope).queryKey]}
      result={issued => <SecretDialog issued={issued} />}
    >
      <Choices legend="The key gets a new secret." name="overlap" options={OVERLAPS} first="86400000" />
    </WriteDialog>
  );
}

/** The name of a member of the team; of those who have left it, that they have. */
function MemberName({ userId }: { readonly userId: string }) {
  const { data: members } = useQuery(membersQuery(useProject()));
  if (!members) return <>…</>;
  const member = members.find(it => it.userId === userId);
  return member ? <bdi title={member.email}>{member.name}</bdi> : <>a former member</>;
}
