import type { WebhookEndpoint } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
// The text of a file, which is what Vite exports for `?raw`.
// eslint-disable-next-line import/default
import receive from '@billing/client/examples/receive-webhooks.mjs?raw';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { Open } from '#resource/dialog-button.tsx';
import { Button } from '#ui/button.tsx';
import { CopyableId, Snippet } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { ENDPOINT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { DeleteDialog, DisableDialog, EnableDialog, RecoverDialog, RotateDialog } from './endpoint-dialogs.tsx';
import { endpointQuery } from './endpoint-queries.ts';
import { Lag, StateNotice } from './endpoint-state.tsx';
import { RecentSuccess } from './recent-success.tsx';
import { TestDialog } from './send-dialogs.tsx';

const UP = { page: 'webhook-endpoints', title: 'Webhook endpoints' } as const;

/** What the buttons of the page open. */
const DIALOGS = {
  test: TestDialog,
  edit: EndpointDialog,
  rotate: RotateDialog,
  recover: RecoverDialog,
  enable: EnableDialog,
  disable: DisableDialog,
  delete: DeleteDialog,
} as const;

/** One endpoint: how it does, what was delivered to it, and how a receiver verifies that. */
export function EndpointPage() {
  const { webhookEndpointId = '' } = useParams({ strict: false });
  const query = useQuery(endpointQuery(useProject(), webhookEndpointId));
  const [dialog, setDialog] = useState<keyof typeof DIALOGS>();
  const { data: endpoint } = query;
  if (!endpoint) return <LoadingPage query={query} title="Webhook endpoint" up={UP} />;
  const Dialog = dialog && DIALOGS[dialog];
  const isEnabled = endpoint.status !== 'disabled';
  return (
    <Page
      title={new URL(endpoint.url).host}
      lead={endpoint.description && <bdi>{endpoint.description}</bdi>}
      up={UP}
      actions={
        <>
          <Button kind="primary" icon="send" onClick={() => setDialog('test')}>
            Send a test
          </Button>
          <Button onClick={() => setDialog('recover')}>Recover…</Button>
          <Button onClick={() => setDialog('rotate')}>Rotate the secret…</Button>
          <Button onClick={() => setDialog('edit')}>Edit</Button>
          <Button onClick={() => setDialog(isEnabled ? 'disable' : 'enable')}>
            {isEnabled ? 'Disable…' : 'Enable…'}
          </Button>
          <Button onClick={() => setDialog('delete')}>Delete…</Button>
        </>
      }
    >
      <StateNotice endpoint={endpoint} />
      <Card title="State">
        <EndpointDetails endpoint={endpoint} />
      </Card>
      <Deliveries endpointId={endpoint.id} />
      <Card
        title="Verify what arrives"
        lead={
          <>
            A receiver in Node; any library for Standard Webhooks does it too. Run it with the secret:{' '}
            <code>WEBHOOK_SECRET=whsec_… node receive-webhooks.mjs</code>
          </>
        }
      >
        <Snippet label="receive-webhooks.mjs" text={receive.trimEnd()} />
      </Card>
      {Dialog && (
        <Open onClose={() => setDialog(undefined)}>
          <Dialog endpoint={endpoint} />
        </Open>
      )}
    </Page>
  );
}

function EndpointDetails({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { id, url, eventTypes, status, lag, lastSuccessAt, maxConcurrency, includeSync, apiVersion } = endpoint;
  return (
    <Details
      of={{
        Status: <StatusBadge of={ENDPOINT_STATUS[status]} />,
        'Arrived in 24 hours': <RecentSuccess endpointId={id} />,
        Waiting: <Lag of={lag} />,
        'Last success': <Time at={lastSuccessAt} show="time" />,
        URL: <CopyableId id={url} />,
        Events: eventTypes.includes('*') ? 'all' : eventTypes.join(', '),
        'Of imports and syncs': includeSync ? 'sent too' : 'not sent',
        'Requests at once': `at most ${maxConcurrency}`,
        'Signed with': endpoint.secrets.map(({ last4, expiresAt, createdAt }) => (
          <div key={createdAt}>
            the secret that ends with <code>{last4}</code>
            {expiresAt && (
              <>
                , until <Time at={expiresAt} show="time" />
              </>
            )}
          </div>
        )),
        'API version': apiVersion,
        Created: <Time at={endpoint.createdAt} show="time" />,
        Id: <CopyableId id={id} />,
      }}
    />
  );
}
