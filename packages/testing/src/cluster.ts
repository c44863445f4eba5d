import { Socket } from 'node:net';
import { Client } from 'pg';

/** Returns the URL of another database of the same cluster. */
export function withDatabase(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs `work` with a connection of its own. Closing the connection releases its advisory locks. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface SharedClient {
  readonly client: Client;
  readonly socket: Socket;
  inUse: number;
}

/** The superuser's connections of this process, by URL: each test needs one twice, for a moment. */
const shared = new Map<string, Promise<SharedClient>>();

/** Runs `work` with a connection that this process keeps and shares. An unused one keeps no process alive. */
export async function withSharedClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const opening = shared.get(url) ?? openShared(url);
  shared.set(url, opening);
  const opened = await opening;
  opened.inUse += 1;
  opened.socket.ref();
  try {
    return await work(opened.client);
  } finally {
    opened.inUse -= 1;
    if (opened.inUse === 0) opened.socket.unref();
  }
}

async function openShared(url: string): Promise<SharedClient> {
  const socket = new Socket();
  const client = new Client({ connectionString: url, stream: () => socket });
  const forget = () => shared.delete(url);
  client.on('error', forget).on('end', forget);
  try {
    await client.connect();
  } catch (error) {
    forget();
    throw error;
  }
  return { client, socket, inUse: 0 };
}
