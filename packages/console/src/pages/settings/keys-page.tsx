import type { ApiKey, IssuedApiKey } from '@billing/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { apiKeysQuery } from '#api/queries.ts';
import { Card, Page } from '#layout/page.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, FormActions, FormProblem, textOf } from '#ui/form.tsx';
import { EmptyState, ErrorState, SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { KeySecret } from './key-secret.tsx';
import { ALL_SCOPES, SCOPES, type Scope } from './scopes.ts';

/** The API keys of the project. */
export function KeysPage() {
  const scope = useProject();
  const { data: keys, error, refetch } = useQuery(apiKeysQuery(scope));
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
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!keys && !error && (
          <div className="card-body">
            <SkeletonLines lines={3} />
          </div>
        )}
        {keys?.length === 0 && (
          <EmptyState icon="key" title="No API keys yet" action={create}>
            A key belongs to this project and has scopes: what it may read and change. You see its secret once.
          </EmptyState>
        )}
        {keys && keys.length > 0 && <KeyTable keys={keys} open={(kind, apiKey) => setDialog({ kind, apiKey })} />}
      </Card>
      {dialog?.kind === 'create' && <CreateKeyDialog onClose={close} />}
      {dialog?.kind === 'revoke' && <RevokeDialog apiKey={dialog.apiKey} onClose={close} />}
      {dialog?.kind === 'rotate' && <RotateDialog apiKey={dialog.apiKey} onClose={close} />}
    </Page>
  );
}

function KeyTable({
  keys,
  open,
}: {
  readonly keys: readonly ApiKey[];
  readonly open: (kind: 'revoke' | 'rotate', apiKey: ApiKey) => void;
}) {
  return (
    <div className="table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Key</th>
            <th scope="col" className="wide">
              Scopes
            </th>
            <th scope="col" className="wide">
              Last used
            </th>
            <th scope="col" className="end">
              Actions
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map(apiKey => (
            <tr key={apiKey.id}>
              <td className="truncate" dir="auto">
                {apiKey.name}
              </td>
              <td>
                <code>
                  {apiKey.prefix}…{apiKey.last4}
                </code>
              </td>
              <td className="wide" title={apiKey.scopes.join(', ')}>
                {apiKey.scopes.length === ALL_SCOPES.length ? 'All' : apiKey.scopes.length}
              </td>
              <td className="wide">
                <Time at={apiKey.lastUsedAt} show="relative" />
              </td>
              <td className="end">
                <Button small onClick={() => open('rotate', apiKey)}>
                  Rotate
                </Button>{' '}
                <Button small onClick={() => open('revoke', apiKey)}>
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const scope = useProject();
  const { team, projectId } = scope;
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: (body: { name: string; scopes: Scope[] }) => team.apiKeys.create(projectId, body),
    onSuccess: () => queryClient.invalidateQueries(apiKeysQuery(scope)),
  });
  if (create.data) return <SecretDialog issued={create.data} onClose={onClose} />;
  const problems = problemsOf(create.error, ['name']);
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form
        onSubmit={fields =>
          create.mutate({ name: textOf(fields, 'name'), scopes: ALL_SCOPES.filter(name => fields.has(name)) })
        }
      >
        <TextField label="Name" name="name" maxLength={120} required placeholder="backend" problem={problems.of.name} />
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
        <FormProblem error={problems.rest} />
        <FormActions busy={create.isPending} onClose={onClose}>
          Create the key
        </FormActions>
      </Form>
    </Dialog>
  );
}

function SecretDialog({ issued, onClose }: { readonly issued: IssuedApiKey; readonly onClose: () => void }) {
  return (
    <Dialog title={`The key “${issued.apiKey.name}”`} onClose={onClose}>
      <KeySecret secret={issued.secret} />
      <div className="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}

function RevokeDialog({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const scope = useProject();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const revoke = useMutation({
    mutationFn: () => scope.team.apiKeys.revoke(scope.projectId, apiKey.id),
    onSuccess: () => {
      onClose();
      toasts.done('The key is revoked.');
    },
    onSettled: () => queryClient.invalidateQueries(apiKeysQuery(scope)),
  });
  return (
    <ConfirmDialog
      title="Revoke the key"
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
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
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: (overlapMs: number) => scope.team.apiKeys.rotate(scope.projectId, apiKey.id, { overlapMs }),
    onSuccess: () => queryClient.invalidateQueries(apiKeysQuery(scope)),
  });
  if (rotate.data) return <SecretDialog issued={rotate.data} onClose={onClose} />;
  return (
    <Dialog title="Rotate the key" onClose={onClose}>
      <Form onSubmit={fields => rotate.mutate(Number(textOf(fields, 'overlap')))}>
        <fieldset className="stack-s">
          <legend>The key gets a new secret.</legend>
          {Object.entries(OVERLAPS).map(([ms, text]) => (
            <label key={ms} className="check">
              <input type="radio" name="overlap" value={ms} defaultChecked={ms === '86400000'} />
              {text}
            </label>
          ))}
        </fieldset>
        <FormProblem error={rotate.error} />
        <FormActions busy={rotate.isPending} onClose={onClose}>
          Rotate
        </FormActions>
      </Form>
    </Dialog>
  );
}
