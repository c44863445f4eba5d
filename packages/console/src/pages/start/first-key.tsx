import { useProject } from '#api/project.ts';
import { apiKeysQuery } from '#api/queries.ts';
import { useFreshSession } from '#layout/fresh-session.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { FormProblem } from '#ui/form.tsx';
import { KeySecret } from '../settings/key-secret.tsx';
import { ALL_SCOPES } from '../settings/scopes.ts';

/** Creates an API key and shows a first request with it. */
export function FirstKey({ hasKey, current }: { readonly hasKey: boolean; readonly current: boolean }) {
  const scope = useProject();
  const withFreshSession = useFreshSession();
  const create = useWrite({
    write: () =>
      withFreshSession(() => scope.team.apiKeys.create(scope.projectId, { name: 'backend', scopes: [...ALL_SCOPES] })),
    stale: [apiKeysQuery(scope).queryKey],
  });
  if (create.data) return <KeySecret secret={create.data.secret} />;
  if (hasKey)
    return (
      <p className="muted">
        The project has a key. More under <ProjectLink page="settings/keys">API keys</ProjectLink>; the{' '}
        <a href="/docs" target="_blank" rel="noopener">
          API reference
        </a>{' '}
        has every request.
      </p>
    );
  return (
    <div className="stack-s">
      <p className="muted">A key for this project with every scope. You can make narrower ones later.</p>
      <FormProblem error={create.error} />
      <div>
        <Button kind={current ? 'primary' : 'plain'} busy={create.isPending} onClick={() => create.mutate()}>
          Create an API key
        </Button>
      </div>
    </div>
  );
}
