import { useLocation } from '@tanstack/react-router';
import { Icon } from '#ui/icon.tsx';
import { NAV, NAV_GROUPS } from './nav.ts';
import { ProjectLink } from './project-link.tsx';
import { useOfferedPages } from './use-offered-pages.ts';

interface NavigationProps {
  /** Runs when a page is opened. */
  readonly onOpen: () => void;
}

/** The pages of the project; a group is open while one of its pages is, or once the reader opens it. */
export function Navigation({ onOpen }: NavigationProps) {
  const isOffered = useOfferedPages();
  const path = useLocation({ select: ({ pathname }) => pathname.split('/').slice(5).join('/') });
  return (
    <nav aria-label="Pages">
      {NAV.map(({ page, title, icon }) => (
        <ProjectLink key={page} page={page} className="nav-link" onClick={onOpen}>
          <Icon name={icon} />
          {title}
        </ProjectLink>
      ))}
      {NAV_GROUPS.map(({ title, icon, items }) => (
        <details key={title} open={items.some(({ page }) => `${path}/`.startsWith(`${page}/`))}>
          <summary className="nav-link">
            <Icon name={icon} />
            <span className="grow">{title}</span>
            <Icon name="down" size={14} />
          </summary>
          {items.filter(isOffered).map(({ page, title: name }) => (
            <ProjectLink key={page} page={page} className="nav-link" onClick={onOpen}>
              {name}
            </ProjectLink>
          ))}
        </details>
      ))}
    </nav>
  );
}
