import { ProjectLink } from '#layout/project-link.tsx';
import { Icon } from '#ui/icon.tsx';

/** The way of those who have customers in Stripe already. */
export function ImportExisting({ isConnected }: { readonly isConnected: boolean }) {
  return (
    <section className="notice" aria-labelledby="import">
      <Icon name="download" />
      <div className="stack-s">
        <h2 id="import">You already use Stripe? Import</h2>
        <p>
          {isConnected
            ? 'See what your account has and this project lacks, then take it over. Nothing changes in Stripe.'
            : 'Connect your account below; then its products, customers and subscriptions can be taken over.'}
        </p>
        {isConnected && (
          <div>
            <ProjectLink page="settings/syncs" className="button">
              Compare and import
            </ProjectLink>
          </div>
        )}
      </div>
    </section>
  );
}
