import type { WebhookEndpoint } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Choices } from '#ui/choices.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';

interface SwitchDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

export function DisableDialog({ endpoint: { id }, onClose }: SwitchDialogProps) {
  const { billing, key } = useProject();
  const disable = useWrite({
    write: () => billing.webhookEndpoints.update(id, { enabled: false }),
    stale: [key('webhook-endpoints')],
    done: 'The endpoint is disabled.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Disable the endpoint" action="Disable" write={disable} onClose={onClose}>
      Nothing is sent to it until it is enabled again. Then it gets what it has missed, in order, as long as events are
      kept.
    </ConfirmDialog>
  );
}

const RESUME_FROM = {
  missed: 'What it has missed, in order, and then what follows',
  now: 'Only what happens from now on',
};

export function EnableDialog({ endpoint: { id }, onClose }: SwitchDialogProps) {
  const { billing, key } = useProject();
  const enable = useWrite({
    write: (fields: FormData) => {
      const resumeFrom = textOf(fields, 'from') === 'now' ? 'now' : 'missed';
      return billing.webhookEndpoints.update(id, { enabled: true, resumeFrom });
    },
    stale: [key('webhook-endpoints'), key('webhook-deliveries')],
    done: 'The endpoint is enabled.',
    onDone: onClose,
  });
  return (
    <FormDialog title="Enable the endpoint" action="Enable" write={enable} onClose={onClose}>
      <Choices legend="It gets" name="from" options={RESUME_FROM} first="missed" />
    </FormDialog>
  );
}

export function DeleteDialog({ endpoint: { id, url }, onClose }: SwitchDialogProps) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const remove = useWrite({
    write: () => billing.webhookEndpoints.delete(id),
    stale: [key('webhook-endpoints', 'all')],
    done: 'The endpoint is deleted.',
    onDone: () => openPage('webhook-endpoints'),
  });
  return (
    <ConfirmDialog title="Delete the endpoint" action="Delete" write={remove} onClose={onClose}>
      <code>{url}</code> gets nothing more, also not what waits for it, and what was delivered is shown no more. This
      cannot be undone. The events stay.
    </ConfirmDialog>
  );
}
