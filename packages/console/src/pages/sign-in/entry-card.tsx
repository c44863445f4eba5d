import type { ReactNode } from 'react';
import { useTitle } from '#ui/use-title.ts';
import logo from '../../icon.svg';

/** The frame of the pages before the console. */
export function EntryCard({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  useTitle(title);
  return (
    <main className="entry">
      <div className="entry-card">
        <img src={logo} className="logo" alt="" width="40" height="40" />
        <div className="stack-s">
          <h1>{title}</h1>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}
