import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsOwner, useProject } from '#api/project.ts';
import { processorQuery } from '#api/queries.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { Card, Page } from '#layout/page.tsx';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { ConnectForms } from './connect-forms.tsx';
import { HealthCard } from './health-card.tsx';
import { SyncCard } from './sync-card.tsx';

/** The team's connection to Stripe. */
export function ConnectionPage() {
  const scope = useProject();
  const { data, error, refetch } = useQuery(processorQuery(scope));
  const isOwner = useIsOwner();
  const [leaving, setLeaving] = useState(false);
  const { data: webhook } = useQuery({
    queryKey: scope.teamKey('webhook-url'),
    queryFn: ({ signal }) => scope.team.processor.webhookUrl({ signal }),
  });
  const account = data?.processor;
  return (
    <Page title="Connection" lead="All projects of the team share one Stripe account.">
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonLines />}
      {data && (
        <Card
          title={account ? 'Connected to Stripe' : 'Not connected'}
          actions={
            account && (
              <Badge tone={account.livemode ? 'good' : 'warn'}>{account.livemode ? 'Live mode' : 'Test mode'}</Badge>
            )
          }
        >
          {account ? (
            <div className="stack">
              <dl className="details">
                <dt>Account</dt>
                <dd>
                  <CopyableId id={account.accountId} />
                </dd>
                <dt>Secret key</dt>
                <dd>
                  ends with <code>{account.secretKeyLast4}</code>
                </dd>
                <dt>Webhook URL</dt>
                <dd>
                  <CopyableId id={account.webhookUrl} />
                </dd>
                <dt>API version</dt>
                <dd>{account.apiVersion}</dd>
                <dt>Connected</dt>
                <dd>
                  <Time at={account.connectedAt} show="time" />
                </dd>
              </dl>
              {isOwner && (
                <div>
                  <Button onClick={() => setLeaving(true)}>Disconnect…</Button>
                </div>
              )}
            </div>
          ) : (
            <ConnectForms isLocal={data.isLocal} />
          )}
        </Card>
      )}
      {account && <HealthCard />}
      {account && isOwner && !data?.isLocal && (
        <Card
          title="Replace the key"
          lead="A key of the same account and mode. The old webhook secret stays valid for a day."
        >
          <ConnectForms isLocal={false} />
        </Card>
      )}
      {webhook && (
        <Card title="Making the webhook endpoint yourself">
          <p className="pre-line muted">{webhook.instructions}</p>
        </Card>
      )}
      {account && <SyncCard />}
      {leaving && <DisconnectDialog onClose={() => setLeaving(false)} />}
    </Page>
  );
}

function DisconnectDialog({ onClose }: { readonly onClose: () => void }) {
  const { team, teamKey } = useProject();
  const withFreshSession = useFreshSession();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const disconnect = useMutation({
    mutationFn: () => withFreshSession(() => team.processor.disconnect()),
    onSuccess: () => {
      onClose();
      toasts.done('The team is disconnected from Stripe.');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: teamKey('processor') }),
  });
  return (
    <ConfirmDialog
      title="Disconnect from Stripe"
      action="Disconnect"
      busy={disconnect.isPending}
      error={disconnect.error}
      onConfirm={() => disconnect.mutate()}
      onClose={onClose}
    >
      Webhooks are refused and nothing can be changed until the same account is connected again. What is here stays, and
      subscriptions in Stripe go on.
    </ConfirmDialog>
  );
}
