import type { EndpointReading } from '../checks/endpoints.ts';
import type { ReadOnlyDatabase } from './database.ts';

/** Reads the endpoints that fail, and those that have not got every event of their project. */
export const readEndpoints = ({ query }: ReadOnlyDatabase): Promise<EndpointReading[]> =>
  query(
    `select e.id, e.team_id as "teamId", e.status, (e.wanted_position - e.position)::float8 as events,
            extract(epoch from clock_timestamp() - case when e.status = 'failing' then e.failing_since else waiting.since end)::float8
              as seconds
       from webhook_endpoints e left join lateral (
              select recorded_at as since from events v
               where (v.team_id, v.project_id) = (e.team_id, e.project_id) and v.position > e.position
               order by v.position limit 1) waiting on true
      where e.status = 'failing' or (e.status = 'enabled' and e.wanted_position > e.position and waiting.since is not null)
      order by seconds desc limit 1000`,
  );
