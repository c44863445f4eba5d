import type { ReactNode } from 'react';
import { Icon } from '#ui/icon.tsx';
import { useTitle } from '#ui/use-title.ts';
import { ProjectLink, type ProjectPage } from './project-link.tsx';

export interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** The list that the page belongs to. */
  readonly up?: { readonly page: ProjectPage; readonly title: string };
  readonly children: ReactNode;
}

/** A page's head and content. Titles may be people's texts of any length and direction. */
export function Page({ title, lead, actions, up, children }: PageProps) {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div className="grow">
          {up && (
            <ProjectLink page={up.page} className="crumb">
              <Icon name="left" size={14} />
              {up.title}
            </ProjectLink>
          )}
          <h1 dir="auto">{title}</h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding: the content is a table. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Card({ title, lead, actions, flush = false, children }: CardProps) {
  return (
    <section className="card">
      {title && (
        <div className="card-head">
          <div>
            <h2>{title}</h2>
            {lead && <p>{lead}</p>}
          </div>
          {actions}
        </div>
      )}
      {flush ? children : <div className="card-body">{children}</div>}
    </section>
  );
}
