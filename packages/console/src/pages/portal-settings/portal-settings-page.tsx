import type { PortalConfig } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { useDebounced } from '#ui/debounced.ts';
import { Form } from '#ui/form.tsx';
import { CancellationCard, ChangesCard, LookCard } from './portal-fields.tsx';
import { configOf, FIELDS, formOf, type PortalForm, type PortalProblems } from './portal-form.ts';
import { PortalPreview } from './portal-preview.tsx';
import { usePreview } from './use-preview.ts';

/** The same in the request for a preview. */
const PREVIEWED = FIELDS.map(field => `portalConfig.${field}` as const);
const REFUSALS = { price_not_found: 'planSwitch.priceIds', promotion_code_: 'cancellation.saveOffer' } as const;
const TYPING_MS = 400;

/** What customers can do in the portal, and how it looks. */
export function PortalSettingsPage() {
  const { billing, key } = useProject();
  const query = useQuery({
    queryKey: key('portal-config'),
    queryFn: ({ signal }) => billing.portalConfig.get({ signal }),
    // What is written stays while it is edited.
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <Page
      title="Portal"
      lead="What your customers can do in the portal, and how it looks. A link to it is made on the page of a customer."
    >
      {query.data ? (
        <Settings config={query.data} />
      ) : (
        <Card>
          <Loading query={query} lines={12} />
        </Card>
      )}
    </Page>
  );
}

function Settings({ config }: { readonly config: PortalConfig }) {
  const { billing, key } = useProject();
  const [form, setForm] = useState(() => formOf(config));
  const [language, setLanguage] = useState(config.defaultLanguage);
  const preview = usePreview(useDebounced(form, TYPING_MS), language);
  const save = useWrite({
    write: async (written: PortalForm) => billing.portalConfig.set(configOf(written)),
    stale: [key('portal-config')],
    done: 'The portal is changed, for every customer.',
  });
  // Other settings were not refused.
  const refusal = save.variables === form ? save.error : null;
  const problems = problemsOf(refusal, FIELDS, REFUSALS);
  const previewed = problemsOf(preview.error, PREVIEWED);
  const of = Object.fromEntries(
    FIELDS.map(field => [field, problems.of[field] ?? previewed.of[`portalConfig.${field}`]]),
  ) as PortalProblems; // with a key for each field
  const set = (changed: Partial<PortalForm>) => setForm({ ...form, ...changed });
  const fields = { form, set, problems: of };
  return (
    <div className="portal-settings">
      <Form action="Save" write={{ ...save, mutate: () => save.mutate(form) }} problems={problems}>
        <LookCard {...fields} />
        <ChangesCard {...fields} />
        <CancellationCard {...fields} />
      </Form>
      <PortalPreview
        src={preview.url}
        error={previewed.rest}
        onRetry={preview.retry}
        language={language}
        onLanguage={setLanguage}
      />
    </div>
  );
}
