import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useProject } from '#api/project.ts';
import { processorQuery } from '#api/queries.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { Badge } from '#ui/badge.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { Time } from '#ui/time.tsx';
import { SyncCard } from '../syncs/sync-card.tsx';
import { ConnectForms } from './connect-forms.tsx';
import { HealthCard } from './health-card.tsx';
import { PurgeDialog } from './purge-dialog.tsx';

/** How often it is looked whether a purge has ended. */
const PURGING_MS = 1_000;

/** The team's connection to Stripe. */
export function ConnectionPage() {
  const scope = useProject();
  const processor = useQuery({
    ...processorQuery(scope),
    refetchInterval: ({ state }) => (state.data?.isPurging ? PURGING_MS : false),
  });
  const { data } = processor;
  const isOwner = useIsOwner();
  const replacement = useRef<HTMLDivElement>(null);
  const enterKey = () => replacement.current?.querySelector('input')?.focus();
  const { data: webhook } = useQuery({
    queryKey: scope.teamKey('webhook-url'),
    queryFn: ({ signal }) => scope.team.processor.webhookUrl({ signal }),
  });
  const account = data?.processor;
  return (
    <Page title="Connection" lead="All projects of the team share one Stripe account.">
      <Loading query={processor} />
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
              <Details
                of={{
                  Account: <CopyableId id={account.accountId} />,
                  'Secret key': (
                    <>
                      ends with <code>{account.secretKeyLast4}</code>
                    </>
                  ),
                  'Webhook URL': <CopyableId id={account.webhookUrl} />,
                  'API version': account.apiVersion,
                  Connected: <Time at={account.connectedAt} show="time" />,
                }}
              />
              {isOwner && (
                <div className="row">
                  <DialogButton dialog={<DisconnectDialog />}>Disconnect…</DialogButton>
                  <DialogButton dialog={<PurgeDialog />}>Delete the records…</DialogButton>
                </div>
              )}
            </div>
          ) : (
            <ConnectForms connection={data} />
          )}
        </Card>
      )}
      {account && <HealthCard onReplaceKey={isOwner ? enterKey : undefined} />}
      {account && <SyncCard />}
      {data && account && isOwner && (
        <div ref={replacement}>
          <Card
            title="Replace the key"
            lead="A key of the same account and mode. The old webhook secret stays valid for a day."
          >
            <ConnectForms connection={data} />
          </Card>
        </div>
      )}
      {webhook && (
        <Card title="Making the webhook endpoint yourself">
          <p className="pre-line muted">{webhook.instructions}</p>
        </Card>
      )}
    </Page>
  );
}

function DisconnectDialog() {
  const { team, teamKey } = useProject();
  return (
    <ConfirmWrite
      title="Disconnect from Stripe"
      action="Disconnect"
      write={() => team.processor.disconnect()}
      isSensitive
      stale={[teamKey('processor')]}
      done="The team is disconnected from Stripe."
    >
      Webhooks are refused and nothing can be changed until the same account is connected again. What is here stays, and
      subscriptions in Stripe go on.
    </ConfirmWrite>
  );
}
