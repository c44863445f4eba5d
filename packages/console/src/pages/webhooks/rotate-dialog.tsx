import type { WebhookEndpoint } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { Choices } from '#ui/choices.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { SecretDialog } from './secret-dialog.tsx';

interface RotateDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

const OVERLAPS = {
  '0': 'Only the new one signs from now on',
  '3600000': 'The old one signs too for another hour',
  '86400000': 'The old one signs too for another day',
  '604800000': 'The old one signs too for another week',
};

/** Replaces the secret of an endpoint, and shows the new one. */
export function RotateDialog({ endpoint: { id }, onClose }: RotateDialogProps) {
  const { billing, key } = useProject();
  const rotate = useWrite({
    write: (fields: FormData) =>
      billing.webhookEndpoints.rotateSecret(id, { overlapMs: Number(textOf(fields, 'overlap')) }),
    stale: [key('webhook-endpoints')],
  });
  if (rotate.data) return <SecretDialog title="The new secret" secret={rotate.data.secret} onClose={onClose} />;
  return (
    <FormDialog title="Rotate the secret" action="Rotate" write={rotate} onClose={onClose}>
      <Choices
        legend="The endpoint gets a new secret. Events carry a signature of each that signs."
        name="overlap"
        options={OVERLAPS}
        first="86400000"
      />
    </FormDialog>
  );
}
