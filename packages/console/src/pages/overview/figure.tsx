import type { ReactNode } from 'react';
import { ProjectLink, type ProjectPage, type Search } from '#layout/project-link.tsx';

interface FigureProps {
  readonly name: string;
  readonly value: ReactNode;
  /** May lead to parts of the number. */
  readonly note: ReactNode;
  readonly page: ProjectPage;
  readonly search?: Search;
}

/** A number that opens the list behind it. */
export function Figure({ name, value, note, page, search = {} }: FigureProps) {
  return (
    <div className="figure">
      <ProjectLink page={page} search={search} className="figure-link">
        <span className="name">{name}</span> <span className="value">{value}</span>
      </ProjectLink>
      <span className="note">{note}</span>
    </div>
  );
}
