import type { ApiKey, IssuedApiKey } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { apiKeysQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { useFreshSession } from '#layout/fresh-session.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Choices } from '#ui/choices.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { SelectField, TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { KeySecret } from './key-secret.tsx';
import { MemberName } from './member-name.tsx';
import { ALL_SCOPES, SCOPES, type Scope } from './scopes.ts';

/** The API keys of the project. */
export function KeysPage() {
  const scope = useProject();
  const query = useQuery(apiKeysQuery(scope));
  const { data: keys } = query;
  const [dialog, setDialog] = useState<
    { readonly kind: 'create' } | { readonly kind: 'revoke' | 'rotate'; readonly apiKey: ApiKey }
  >();
  const close = () => setDialog(undefined);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setDialog({ kind: 'create' })}>
      New API key
    </Button>
  );
  return (
    <Page title="API keys" lead="Your backend calls the API with a key of this project." actions={create}>
      <Card flush>
        <Loading query={query} lines={3} flush />
        {keys?.length === 0 && (
          <EmptyState icon="key" title="No API keys yet" action={create}>
            A key belongs to this project and has scopes: what it may read and change. You see its secret once.
          </EmptyState>
        )}
        {keys && keys.length > 0 && (
          <DataTable
            rows={keys}
            columns={columns((kind, apiKey) => setDialog({ kind, apiKey }))}
            rowKey={({ id }) => id}
          />
        )}
      </Card>
      {dialog?.kind === 'create' && <CreateKeyDialog onClose={close} />}
      {dialog?.kind === 'revoke' && <RevokeDialog apiKey={dialog.apiKey} onClose={close} />}
      {dialog?.kind === 'rotate' && <RotateDialog apiKey={dialog.apiKey} onClose={close} />}
    </Page>
  );
}

const columns = (open: (kind: 'revoke' | 'rotate', apiKey: ApiKey) => void): readonly Column<ApiKey>[] => [
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
    cell: ({ prefix, last4 }) => (
      <code className="num">
        {prefix}…{last4}
      </code>
    ),
  },
  {
    title: 'Scopes',
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
  { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} show="relative" /> },
  {
    title: 'Ends',
    cell: ({ expiresAt }) =>
      expiresAt && new Date(expiresAt) <= new Date() ? <Badge tone="bad">Ended</Badge> : <Time at={expiresAt} />,
  },
  {
    title: 'Actions',
    end: true,
    cell: apiKey => (
      <div className="row">
        <Button small onClick={() => open('rotate', apiKey)}>
          Rotate
        </Button>
        <Button small onClick={() => open('revoke', apiKey)}>
          Revoke
        </Button>
      </div>
    ),
  },
];

const DAY_MS = 86_400_000;

function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const scope = useProject();
  const { team, projectId } = scope;
  const withFreshSession = useFreshSession();
  const create = useWrite({
    write: (fields: FormData) => {
      const scopes: Scope[] = ALL_SCOPES.filter(name => fields.has(name));
      const days = Number(textOf(fields, 'days'));
      const expiresAt = days > 0 ? new Date(Date.now() + days * DAY_MS).toISOString() : null;
      return withFreshSession(() =>
        team.apiKeys.create(projectId, { name: textOf(fields, 'name'), scopes, expiresAt }),
      );
    },
    stale: [apiKeysQuery(scope).queryKey],
  });
  if (create.data) return <SecretDialog issued={create.data} onClose={onClose} />;
  const problems = problemsOf(create.error, ['name']);
  return (
    <FormDialog title="New API key" action="Create the key" write={create} problems={problems} onClose={onClose}>
      <TextField label="Name" name="name" maxLength={120} required placeholder="backend" problem={problems.of.name} />
      <SelectField label="It works" name="days" defaultValue="">
        <option value="">Until it is revoked</option>
        <option value="30">For 30 days</option>
        <option value="90">For 90 days</option>
        <option value="365">For a year</option>
      </SelectField>
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
    </FormDialog>
  );
}

function SecretDialog({ issued, onClose }: { readonly issued: IssuedApiKey; readonly onClose: () => void }) {
  return (
    <Dialog title={`The key “${issued.apiKey.name}”`} done="I have copied it" onClose={onClose}>
      <KeySecret secret={issued.secret} />
    </Dialog>
  );
}

function RevokeDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const scope = useProject();
  const revoke = useWrite({
    write: () => scope.team.apiKeys.revoke(scope.projectId, apiKey.id),
    stale: [apiKeysQuery(scope).queryKey],
    done: 'The key is revoked.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Revoke the key" action="Revoke" write={revoke} onClose={onClose}>
      Within a second, every request with{' '}
      <code>
        {apiKey.prefix}…{apiKey.last4}
      </code>{' '}
      is refused. This cannot be undone.
    </ConfirmDialog>
  );
}

const OVERLAPS = {
  '0': 'The old one ends now',
  '3600000': 'The old one works for another hour',
  '86400000': 'The old one works for another day',
};

function RotateDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const scope = useProject();
  const withFreshSession = useFreshSession();
  const rotate = useWrite({
    write: (fields: FormData) => {
      const overlapMs = Number(textOf(fields, 'overlap'));
      return withFreshSession(() => scope.team.apiKeys.rotate(scope.projectId, apiKey.id, { overlapMs }));
    },
    stale: [apiKeysQuery(scope).queryKey],
  });
  if (rotate.data) return <SecretDialog issued={rotate.data} onClose={onClose} />;
  return (
    <FormDialog title="Rotate the key" action="Rotate" write={rotate} onClose={onClose}>
      <Choices legend="The key gets a new secret." name="overlap" options={OVERLAPS} first="86400000" />
    </FormDialog>
  );
}
