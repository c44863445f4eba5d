import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { testClockQuery } from '#api/queries.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';

const REFRESH_MS = 5_000;

/** Says that a customer lives on a test clock, and what time it is there. */
export function ClockNotice({ testClockId }: { readonly testClockId: string }) {
  const { data: clock } = useQuery({
    ...testClockQuery(useProject(), testClockId),
    refetchInterval: ({ state }) => (state.error ? false : REFRESH_MS),
  });
  return (
    <Notice icon="clock">
      This customer lives on the test clock{' '}
      <ProjectLink page={`test-clocks/${testClockId}`}>
        <bdi>{clock?.name ?? testClockId}</bdi>
      </ProjectLink>
      {clock && (
        <>
          , where it is <Time at={clock.now} show="time" />
        </>
      )}
      .
    </Notice>
  );
}
