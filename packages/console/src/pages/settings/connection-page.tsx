import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useProject } from '#api/project.ts';
import { processorQuery } from '#api/queries.ts';
import { useIsOwner } from '#api/use-is-owner.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
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
  const [dialog, setDialog] = useState<'disconnect' | 'purge'>();
  const closeDialog = () => setDialog(undefined);
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
                  <Button onClick={() => setDialog('disconnect')}>Disconnect…</Button>
                  <Button onClick={() => setDialog('purge')}>Delete the records…</Button>
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
      {dialog === 'disconnect' && <DisconnectDialog onClose={closeDialog} />}
      {dialog === 'purge' && <PurgeDialog onClose={closeDialog} onStarted={closeDialog} />}
    </Page>
  );
}

function DisconnectDialog({ onClose }: { readonly onClose: () => void }) {
  const { team, teamKey } = useProject();
  const withFreshSession = useFreshSession();
  const disconnect = useWrite({
    write: () => withFreshSession(() => team.processor.disconnect()),
    stale: [teamKey('processor')],
    done: 'The team is disconnected from Stripe.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Disconnect from Stripe" action="Disconnect" write={disconnect} onClose={onClose}>
      Webhooks are refused and nothing can be changed until the same account is connected again. What is here stays, and
      subscriptions in Stripe go on.
    </ConfirmDialog>
  );
}
