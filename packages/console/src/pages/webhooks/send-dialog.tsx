import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { ProjectLink, useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Dialog } from '#ui/dialog.tsx';
import { SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { endpointsQuery } from './endpoint-queries.ts';

interface SendDialogProps {
  readonly eventId: string;
  readonly onClose: () => void;
}

/** Sends one event to an endpoint, whatever types that gets. */
export function SendDialog({ eventId, onClose }: SendDialogProps) {
  const scope = useProject();
  const { billing, key } = scope;
  const openPage = useOpenPage();
  const query = useQuery(endpointsQuery(scope));
  const send = useWrite({
    write: (fields: FormData) => billing.webhookEndpoints.send(textOf(fields, 'endpoint'), { eventId }),
    stale: [key('webhook-deliveries')],
    done: 'The event is sent.',
    onDone: ({ id }) => openPage(`webhook-deliveries/${id}`),
  });
  const endpoints = query.data?.filter(({ status }) => status !== 'disabled');
  if (!endpoints || endpoints.length === 0)
    return (
      <Dialog title="Send to an endpoint" onClose={onClose}>
        <Loading query={query} lines={2} />
        {endpoints && (
          <p>
            The project has no endpoint that is enabled. <ProjectLink page="webhook-endpoints">Make one</ProjectLink>
          </p>
        )}
      </Dialog>
    );
  return (
    <FormDialog title="Send to an endpoint" action="Send" write={send} onClose={onClose}>
      <SelectField label="Endpoint" name="endpoint" hint="It gets the event even if it has arrived there before.">
        {endpoints.map(({ id, url }) => (
          <option key={id} value={id}>
            {url}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
