import { connect, type NatsConnection } from '@nats-io/transport-node';
import { StartError } from '@billing/database/start-error';

/**
 * Connects to the broker. A broker that goes away is waited for without end; a dead link shows within 20 s.
 * @throws StartError when the broker cannot be reached at the start
 */
export async function connectBroker(url: string, name: string): Promise<NatsConnection> {
  const { username, password, host } = new URL(url.includes('://') ? url : `nats://${url}`);
  try {
    return await connect({
      servers: host,
      name,
      timeout: 5_000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: 10_000,
      maxPingOut: 2,
      // Two errors made for each request, in case it should fail, cost more than the request.
      noAsyncTraces: true,
      ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    });
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    throw new StartError(`Cannot reach NATS at ${host}: ${reason}. Start it, or correct NATS_URL.`);
  }
}

/** Closes after what is under way has been sent. */
export async function closeBroker(connection: NatsConnection): Promise<void> {
  if (!connection.isClosed()) await connection.drain().catch(() => connection.close());
}
