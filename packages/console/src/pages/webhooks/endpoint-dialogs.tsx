import type { WebhookEndpoint } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { control } from '#resource/fields.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { formatCount } from '#ui/amount.ts';
import { Choices } from '#ui/choices.tsx';
import { textOf } from '#ui/form.tsx';
import { localText } from '#ui/local-text.ts';
import { SecretDialog } from './endpoint-dialog.tsx';

interface EndpointDialogProps {
  readonly endpoint: WebhookEndpoint;
}

export function DisableDialog({ endpoint: { id } }: EndpointDialogProps) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Disable the endpoint"
      action="Disable"
      write={() => billing.webhookEndpoints.update(id, { enabled: false })}
      stale={[key('webhook-endpoints')]}
      done="The endpoint is disabled."
    >
      Nothing is sent to it until it is enabled again. Then it gets what it has missed, in order, as long as events are
      kept.
    </ConfirmWrite>
  );
}

const RESUME_FROM = {
  missed: 'What it has missed, in order, and then what follows',
  now: 'Only what happens from now on',
};

export function EnableDialog({ endpoint: { id } }: EndpointDialogProps) {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      title="Enable the endpoint"
      action="Enable"
      write={fields => {
        const resumeFrom = textOf(fields, 'from') === 'now' ? 'now' : 'missed';
        return billing.webhookEndpoints.update(id, { enabled: true, resumeFrom });
      }}
      stale={[key('webhook-endpoints'), key('webhook-deliveries')]}
      done="The endpoint is enabled."
    >
      <Choices legend="It gets" name="from" options={RESUME_FROM} first="missed" />
    </WriteDialog>
  );
}

export function DeleteDialog({ endpoint: { id, url } }: EndpointDialogProps) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Delete the endpoint"
      action="Delete"
      write={() => billing.webhookEndpoints.delete(id)}
      stale={[key('webhook-endpoints', 'all')]}
      done="The endpoint is deleted."
      opens={() => 'webhook-endpoints'}
    >
      <code>{url}</code> gets nothing more, also not what waits for it, and what was delivered is shown no more. This
      cannot be undone. The events stay.
    </ConfirmWrite>
  );
}

const OVERLAPS = {
  '0': 'Only the new one signs from now on',
  '3600000': 'The old one signs too for another hour',
  '86400000': 'The old one signs too for another day',
  '604800000': 'The old one signs too for another week',
};

/** Replaces the secret of an endpoint, and shows the new one. */
export function RotateDialog({ endpoint: { id } }: EndpointDialogProps) {
  const { billing, key } = useProject();
  const close = useClose();
  return (
    <WriteDialog
      title="Rotate the secret"
      action="Rotate"
      write={fields => billing.webhookEndpoints.rotateSecret(id, { overlapMs: Number(textOf(fields, 'overlap')) })}
      stale={[key('webhook-endpoints')]}
      result={({ secret }) => <SecretDialog title="The new secret" secret={secret} onClose={close} />}
    >
      <Choices
        legend="The endpoint gets a new secret. Events carry a signature of each that signs."
        name="overlap"
        options={OVERLAPS}
        first="86400000"
      />
    </WriteDialog>
  );
}

const DAY_MS = 86_400_000;

const WHICH = {
  failed: 'Those that failed for good',
  missing: 'Those that it never got, such as those before it was made',
  all: 'All, also those that arrived',
} as const;
type Which = keyof typeof WHICH;
const NAMES = Object.keys(WHICH) as Which[]; // an object's keys are typed as string

/** Sends past events to an endpoint again. */
export function RecoverDialog({ endpoint: { id, status } }: EndpointDialogProps) {
  const { billing, key } = useProject();
  const [aDayAgo] = useState(() => localText(new Date(Date.now() - DAY_MS)));
  return (
    <WriteDialog
      title="Recover events"
      action="Send them again"
      write={async fields => {
        const until = textOf(fields, 'until');
        return billing.webhookEndpoints.recover(id, {
          since: new Date(textOf(fields, 'since')),
          ...(until && { until: new Date(until) }),
          only: NAMES.find(name => name === textOf(fields, 'only')) ?? 'failed',
        });
      }}
      stale={[key('webhook-endpoints'), key('webhook-deliveries')]}
      done={({ matched, status: recovery }) => {
        if (recovery === 'running') return 'The events are looked through, and sent again.';
        if (matched === 0) return 'There is nothing to send again.';
        const what = matched === 1 ? 'One event is' : `${formatCount(matched)} events are`;
        return `${what} sent again${status === 'disabled' ? ' once the endpoint is enabled' : ''}.`;
      }}
      fields={[
        control(Choices, {
          name: 'only',
          legend: 'Which events of this time it gets',
          options: WHICH,
          first: 'failed',
        }),
        {
          kind: 'row',
          of: [
            { name: 'since', label: 'From', type: 'datetime-local', required: true, defaultValue: aDayAgo },
            { name: 'until', label: 'Until', type: 'datetime-local', hint: 'Until now unless given.' },
          ],
        },
      ]}
    />
  );
}
