import { Client } from 'pg';

/** Connects to a database until the connection is disposed. */
export async function connectTo(connectionString: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Creates a database on a server, and returns its URL. */
export async function createDatabase(adminUrl: string, name: string): Promise<string> {
  await using admin = await connectTo(adminUrl);
  await admin.query(`create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}
