import { EVENT_TYPES, type WebhookEndpoint } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { AttemptDetails } from './attempt-details.tsx';
import { endpointsQuery } from './endpoint-queries.ts';

/** Sends one event to an endpoint, whatever types that gets. */
export function SendDialog({ eventId }: { readonly eventId: string }) {
  const scope = useProject();
  const query = useQuery(endpointsQuery(scope));
  const onClose = useClose();
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
    <WriteDialog
      title="Send to an endpoint"
      action="Send"
      write={fields => scope.billing.webhookEndpoints.send(textOf(fields, 'endpoint'), { eventId })}
      stale={[scope.key('webhook-deliveries')]}
      done="The event is sent."
      opens={({ id }) => `webhook-deliveries/${id}`}
    >
      <SelectField label="Endpoint" name="endpoint" hint="It gets the event even if it has arrived there before.">
        {endpoints.map(({ id, url }) => (
          <option key={id} value={id}>
            {url}
          </option>
        ))}
      </SelectField>
    </WriteDialog>
  );
}

const TYPES = ['ping', ...EVENT_TYPES] as const;

/** Sends an event with example data, and shows how the endpoint answers. */
export function TestDialog({ endpoint: { id } }: { readonly endpoint: WebhookEndpoint }) {
  const { billing } = useProject();
  const test = useWrite({
    // Whoever has sent too many reads so at once, instead of waiting up to a minute for the next one.
    write: (fields: FormData) => {
      const type = TYPES.find(name => name === textOf(fields, 'type'));
      return billing.webhookEndpoints.test(id, { type }, { maxRetries: 0 });
    },
    stale: [],
  });
  return (
    <FormDialog title="Send a test" action={test.data ? 'Send again' : 'Send'} write={test} onClose={useClose()}>
      <SelectField label="Event" name="type" hint="It has example data and “test”: true, and is sent once.">
        {TYPES.map(type => (
          <option key={type}>{type}</option>
        ))}
      </SelectField>
      <div role="status">{test.data && !test.isPending && <AttemptDetails attempt={test.data} />}</div>
    </FormDialog>
  );
}
