import { ProjectLink } from '#layout/project-link.tsx';

/** The two directions of events: those that Stripe sends, and those that the team's own systems get. */
export const EventsTabs = () => (
  <nav className="tabs" aria-label="Direction">
    <ProjectLink page="events" exact>
      From Stripe
    </ProjectLink>
    <ProjectLink page="events/to-you">To you</ProjectLink>
  </nav>
);
