// The texts of files, which is what Vite exports for `?raw`.
// eslint-disable-next-line import/default
import firstCheckout from '@billing/client/examples/first-checkout.mjs?raw';
import install from '@billing/client/examples/install.sh?raw';
import { useProject } from '#api/project.ts';
import { Snippet } from '#ui/copy.tsx';

/** A new key's secret, which is shown once, and first requests with it: by curl, and by the client. */
export function KeySecret({ secret }: { readonly secret: string }) {
  const { teamId, projectId } = useProject();
  const url = `${location.origin}/api/service/teams/${teamId}/projects/${projectId}`;
  const script = firstCheckout
    .replace('http://localhost:8080', location.origin)
    .replace('team_…', teamId)
    .replace('proj_…', projectId);
  return (
    <div className="stack">
      <p>Copy the key now: it is shown only this once. Keep it in your backend, never in a browser or an app.</p>
      <Snippet label="API key" text={secret} />
      <p className="muted">Try it:</p>
      <Snippet label="A first request" text={`curl ${url}/products \\\n  -H "Authorization: Bearer ${secret}"`} />
      <details className="more">
        <summary>Or make a checkout with the client for Node</summary>
        <div className="stack">
          <p className="muted">
            The client is in no registry yet. Pack it in a checkout of this billing system, here <code>../billing</code>
            , and install the tarball:
          </p>
          <Snippet label="Install the client" text={install.trimEnd()} />
          <p className="muted">
            Save this as <code>first-checkout.mjs</code>:
          </p>
          <Snippet label="first-checkout.mjs" text={script.trimEnd()} />
          <p className="muted">Run it, and open the address that it prints:</p>
          <Snippet label="Run it" text={`BILLING_API_KEY=${secret} node first-checkout.mjs`} />
        </div>
      </details>
    </div>
  );
}
