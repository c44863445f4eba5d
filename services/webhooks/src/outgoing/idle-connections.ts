import type { Socket } from 'node:net';

/** Connections that may stay open for the next request though none is on its way. */
const MAX_IDLE = { ofAll: 512, ofTeam: 64 };

/** Counts the connections to receivers by the team that used each last, and the requests that are on their way. */
export function openIdleConnections({ ofAll, ofTeam } = MAX_IDLE) {
  const owners = new Map<Socket, string>();
  /** By team: its open connections, less its requests on their way. */
  const idle = new Map<string, number>();
  let all = 0;
  const change = (teamId: string, by: 1 | -1): void => {
    all += by;
    const own = (idle.get(teamId) ?? 0) + by;
    if (own === 0) idle.delete(teamId);
    else idle.set(teamId, own);
  };
  const forget = (socket: Socket): void => {
    const owner = owners.get(socket);
    if (owner !== undefined && owners.delete(socket)) change(owner, -1);
  };
  return {
    /** A request of a team begins: call what is returned when it has ended. */
    begin(teamId: string): () => void {
      change(teamId, -1);
      return () => change(teamId, 1);
    },
    /** A request of a team goes over a connection. */
    use(teamId: string, socket: Socket): void {
      if (owners.has(socket)) forget(socket);
      else socket.once('close', () => forget(socket));
      owners.set(socket, teamId);
      change(teamId, 1);
    },
    /** Whether the connection of the team's next request is to be closed after it. */
    isFull: (teamId: string): boolean => all >= ofAll || (idle.get(teamId) ?? 0) >= ofTeam,
  };
}
