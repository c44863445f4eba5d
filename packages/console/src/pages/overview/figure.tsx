import type { ReactNode } from 'react';
import { ProjectLink, type Place } from '#layout/project-link.tsx';

interface FigureProps extends Place {
  readonly name: string;
  readonly value: ReactNode;
  /** May lead to parts of the number. */
  readonly note: ReactNode;
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
