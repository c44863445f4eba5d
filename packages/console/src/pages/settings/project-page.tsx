import { projectsQuery } from '#api/client.ts';
import { problemsOf } from '#api/failure.ts';
import { useProject, useProjectDetails } from '#api/project.ts';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { TextField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';
import { Time } from '#ui/time.tsx';

const MAX_GRACE_DAYS = 60;

export function ProjectPage() {
  const { team, teamId, projectId, key } = useProject();
  const project = useProjectDetails();
  const save = useWrite({
    write: (fields: FormData) =>
      team.projects.update(projectId, {
        name: textOf(fields, 'name'),
        baseCurrency: textOf(fields, 'currency'),
        entitlementGraceDays: Number(textOf(fields, 'graceDays')),
        automaticTax: fields.has('automaticTax'),
      }),
    stale: [projectsQuery(teamId).queryKey, key('analytics')],
    done: 'The project is changed.',
  });
  const problems = problemsOf(save.error, ['name', 'entitlementGraceDays']);
  return (
    <Page title="Project">
      <Card title="Settings">
        <Form key={project.id} action="Save" write={save} problems={problems}>
          <TextField
            label="Name"
            name="name"
            maxLength={120}
            required
            defaultValue={project.name}
            problem={problems.of.name}
          />
          <CurrencySelect
            label="Base currency"
            name="currency"
            defaultValue={project.baseCurrency}
            hint="MRR adds up subscriptions in this currency, and lists those in others apart."
          />
          <TextField
            label="Days of grace"
            name="graceDays"
            type="number"
            min={0}
            max={MAX_GRACE_DAYS}
            step={1}
            required
            defaultValue={project.entitlementGraceDays}
            hint="So long a subscription that is past due goes on giving its features; 60 at most."
            problem={problems.of.entitlementGraceDays}
          />
          <label className="check">
            <input type="checkbox" name="automaticTax" defaultChecked={project.automaticTax} />
            Checkouts have Stripe compute tax, unless they say otherwise
          </label>
        </Form>
      </Card>
      <Card title="Details" lead="Your backend needs both ids.">
        <Details
          of={{
            'Project id': <CopyableId id={projectId} />,
            'Team id': <CopyableId id={teamId} />,
            Created: <Time at={project.createdAt} show="time" />,
          }}
        />
      </Card>
    </Page>
  );
}
